import type { Acl } from "../../../protocol/signing/signed-url.ts"

/** One API key of an app. */
export interface AppKey {
  /** Its public name: `createKeyId` of the key. */
  readonly id: string
  /** Secret, `sk_…`; null once it is revoked, when it is no longer needed. */
  readonly apiKey: string | null
  /** ms since the epoch. */
  readonly createdAt: number
  /** ms since the epoch; null while it is active. */
  readonly revokedAt: number | null
}

/** What the operator decides about an app. */
export interface AppSettings {
  /** The name to show for it. */
  readonly name: string | null
  /** Who may read its files where their route does not say; null: the ingest's setting. */
  readonly defaultAcl: Acl | null
  /** Bytes its files may take, stored and announced together; null: the ingest's setting, `unlimited`: any. */
  readonly quota: number | "unlimited" | null
  /** Origins its callbacks may go to, as `URL.origin` writes them; null: any. */
  readonly callbackOrigins: ReadonlyArray<string> | null
}

/** An app that the ingest's operator has added. */
export interface AppRecord extends AppSettings {
  readonly id: string
  /** ms since the epoch. */
  readonly createdAt: number
  /** Active and revoked ones, the newest first. */
  readonly keys: ReadonlyArray<AppKey>
}

/** How many keys of an app may be active: the one in use, and the one that replaces it. */
export const mostActiveKeys = 2

/**
 * Knows the apps of an ingest other than the one of its own token, and their keys.
 *
 * The command line writes while an ingest runs: {@link CatalogApps.appsRevision} says when to look again.
 */
export interface CatalogApps {
  /** Another number after every change to an app or a key. Cheap: called about once a second. */
  readonly appsRevision: () => Promise<number>
  /** All of them, the oldest first. */
  readonly listApps: () => Promise<ReadonlyArray<AppRecord>>
  /** `taken`: an app with this id exists, or one with another id whose file keys begin alike. */
  readonly createApp: (
    app: AppSettings & { readonly id: string; readonly createdAt: number },
  ) => Promise<"created" | "taken">
  /** Changes the settings that are given. False when there is no such app. */
  readonly changeApp: (id: string, changes: Partial<AppSettings>) => Promise<boolean>
  /** `tooMany`: two are active. A key belongs to one app for ever (`taken`). */
  readonly addKey: (key: {
    readonly appId: string
    readonly apiKey: string
    readonly now: number
  }) => Promise<"added" | "unknownApp" | "taken" | "tooMany">
  /**
   * Ends a key, and deletes its secret. False when the app has no active key with this id, or has no other where the
   * last one is to be kept.
   */
  readonly revokeKey: (key: {
    readonly appId: string
    readonly id: string
    readonly now: number
    /** Does not revoke the only active key of an app. */
    readonly keepsLast?: boolean | undefined
  }) => Promise<boolean>
  /**
   * Deletes an app with its keys, once it has no files, and everything kept about it: what it has registered, deleted
   * and failed to upload, and the callbacks it is owed. A later app with the same id begins with nothing.
   */
  readonly deleteApp: (id: string) => Promise<"deleted" | "hasFiles" | "unknown">
}
