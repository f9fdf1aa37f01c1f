import type { Acl } from "../../protocol/signed-url.ts"

/** One API key of an app. */
export interface AppKey {
  /** Its name for people: `createKeyId` of the key. */
  readonly id: string
  /** Secret, `sk_…`; null once it is revoked: then nobody has to keep it. */
  readonly apiKey: string | null
  /** ms since the epoch. */
  readonly createdAt: number
  /** ms since the epoch; null while it is active. */
  readonly revokedAt: number | null
}

/** What the operator decides about an app. */
export interface AppSettings {
  /** What people call it. */
  readonly name: string | null
  /** Who may read its files whose route says nothing; null: as the ingest says. */
  readonly defaultAcl: Acl | null
  /** Bytes its files may take, stored and announced together; null: as the ingest says, `unlimited`: any. */
  readonly quota: number | "unlimited" | null
  /** Origins its callbacks may go to, as `URL.origin` writes them; null: any. */
  readonly callbackOrigins: ReadonlyArray<string> | null
}

/** An app the ingest's operator has made. */
export interface AppRecord extends AppSettings {
  readonly id: string
  /** ms since the epoch. */
  readonly createdAt: number
  /** Active and revoked ones, the newest first. */
  readonly keys: ReadonlyArray<AppKey>
}

/** How many keys of an app may be active: the one in use, and the one that takes its place. */
export const mostActiveKeys = 2

/**
 * Knows the apps of an ingest besides the one of its own token, and their keys.
 *
 * The command line writes while an ingest runs: {@link CatalogApps.appsRevision} says when to look again.
 */
export interface CatalogApps {
  /** Another number after every change to an app or a key. Cheap: asked about once a second. */
  readonly appsRevision: () => Promise<number>
  /** All of them, the oldest first. */
  readonly listApps: () => Promise<ReadonlyArray<AppRecord>>
  /** `taken`: there is one with this id, or with another id whose file keys begin alike. */
  readonly createApp: (
    app: AppSettings & { readonly id: string; readonly createdAt: number },
  ) => Promise<"created" | "taken">
  /** Changes the settings that are given. False when there is no such app. */
  readonly changeApp: (id: string, changes: Partial<AppSettings>) => Promise<boolean>
  /** `tooMany`: two are active. A key is of one app, for ever (`taken`). */
  readonly addKey: (key: {
    readonly appId: string
    readonly apiKey: string
    readonly now: number
  }) => Promise<"added" | "unknownApp" | "taken" | "tooMany">
  /**
   * Ends a key, and forgets its secret. False when the app has no active key of this id, or, where the last one is to
   * be kept, no other.
   */
  readonly revokeKey: (key: {
    readonly appId: string
    readonly id: string
    readonly now: number
    /** Leaves the key alone that is the only active one of its app. */
    readonly keepsLast?: boolean | undefined
  }) => Promise<boolean>
  /**
   * Forgets an app with its keys, once it has no files, and all that is kept of it: what it has registered, deleted and
   * failed to upload, the callbacks it is owed. An app of the same id that is made later begins with nothing.
   */
  readonly deleteApp: (id: string) => Promise<"deleted" | "hasFiles" | "unknown">
}
