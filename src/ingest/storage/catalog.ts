import type { UploadGrant } from "../../protocol/signed-url.ts"
import type { TraceContext } from "../../protocol/trace-context.ts"
import type { CatalogApps } from "./catalog-apps.ts"
import type { CatalogFiles } from "./catalog-files.ts"
import type { CatalogHistory } from "./catalog-history.ts"
import type {
  AttemptRecord,
  DueDelivery,
  FileFailure,
  FileRecord,
  Reclaimable,
  ResultRecord,
  UploadRecord,
  Usage,
} from "./catalog-records.ts"

export type * from "./catalog-records.ts"

/** What {@link Catalog.begin} decided. */
export type Begun =
  /** Go on writing with this epoch. `isNew`: nothing can be stored of this file yet; it may have taken an older one's key. */
  | { readonly kind: "granted"; readonly epoch: number; readonly isNew: boolean; readonly id: number }
  /** The file is there already. */
  | { readonly kind: "finished"; readonly upload: UploadRecord }
  /** The file has failed for good under this very grant. */
  | { readonly kind: "failed"; readonly failure: FileFailure }
  /** Another finished file has the key, or this file is being deleted. */
  | { readonly kind: "taken" }
  /** The app's quota has no room for the file; nothing changed. */
  | { readonly kind: "overQuota"; readonly usage: Usage }

/** What {@link Catalog.commit} decided. */
export type Committed =
  /** The file is `Uploaded`; `due` is its first delivery, claimed, when the app has registered. */
  | { readonly kind: "committed"; readonly upload: UploadRecord; readonly due: DueDelivery | null }
  /** A newer writer was granted an epoch; nothing changed. */
  | { readonly kind: "fenced" }

/** What the commit of a file notes beside the file. */
export interface CommitNotes {
  readonly now: number
  /** Id of the event, should one be due. */
  readonly eventId: string
  /** Until when the first attempt is claimed for the caller; null: it is not, and due at once. */
  readonly claimedUntil: number | null
}

/** Where events are claimed from: all callbacks over HTTP, or one development stream. */
export type DeliveryChannel = { readonly appId: string; readonly callbackSlug: string } | "callback"

/**
 * Knows every file, registration, delivery and app, and keeps the bytes of small files.
 *
 * Each method is one transaction, named by the transition it performs, and durable when it resolves (where
 * `abilities.isDurable`). What must happen after a transition is a row in the same transaction.
 *
 * Units:  all times are ms since the epoch and given by the caller.
 * Fails:  rejects with {@link CatalogError} when what it is kept on fails; a transition that does not apply is a value,
 *         not an error.
 */
export interface Catalog extends CatalogHistory, CatalogFiles, CatalogApps {
  readonly abilities: {
    readonly isDurable: boolean
    /** Several ingests may share the catalog. */
    readonly isShared: boolean
    /** Bytes of the largest file {@link Catalog.commitWhole} takes; 0: none. */
    readonly largestContent: number
  }
  /** A writer of the granted file starts or goes on: raises the epoch, and so fences all earlier writers off. */
  readonly begin: (begin: {
    readonly grant: UploadGrant
    readonly origin: string
    readonly now: number
    /** What the app's files may take, stored and announced together; asked when a file is new, not when it goes on. */
    readonly quota?: number | undefined
  }) => Promise<Begun>
  /** Raises the epoch of an upload that is under way without going on with it; null when there is none. */
  readonly interrupt: (key: string) => Promise<number | null>
  /** `Uploading → Uploaded`, with the delivery row when the app has registered. Only with the newest epoch. */
  readonly commit: (
    commit: { readonly key: string; readonly epoch: number; readonly fileHash: string } & CommitNotes,
  ) => Promise<Committed>
  /**
   * Nothing → `Uploaded`: a small file that came in one piece, its bytes with it. `refused`: there is something of this
   * key already, or no room in the quota; nothing changed, and {@link Catalog.begin} says what it is.
   */
  readonly commitWhole: (
    commit: {
      readonly grant: UploadGrant
      readonly origin: string
      readonly bytes: Uint8Array
      readonly fileHash: string
      readonly quota?: number | undefined
    } & CommitNotes,
  ) => Promise<Extract<Committed, { readonly kind: "committed" }> | { readonly kind: "refused" }>
  /** The bytes of a file that `isInline`; null when it is gone. */
  readonly readContent: (id: number) => Promise<Uint8Array | null>
  /** `Uploading → Failed`, with the delivery row when the app has registered. Only with the newest epoch. */
  readonly fail: (fail: {
    readonly key: string
    readonly epoch: number
    readonly failure: FileFailure
    readonly now: number
    readonly eventId: string
  }) => Promise<boolean>
  /** Notes what the app wants; files that ended before get their delivery row now. Repeating it changes nothing. */
  readonly register: (register: {
    readonly appId: string
    readonly fileKeys: ReadonlyArray<string>
    readonly metadata: string
    readonly callbackUrl: string
    readonly callbackSlug: string
    readonly awaitServerData: boolean
    readonly isDev: boolean
    readonly trace: TraceContext | null
    readonly now: number
    readonly createEventId: () => string
  }) => Promise<void>
  /**
   * Keeps the app's result of an `Uploaded` file, and acknowledges the event of a development stream, error events too.
   * False when the app has no such file.
   */
  readonly recordResult: (result: {
    readonly appId: string
    readonly key: string
    readonly result: ResultRecord
    readonly now: number
  }) => Promise<boolean>
  /** Deliveries that are due, oldest first, with their attempt begun and claimed for the caller. */
  readonly claimDue: (claim: {
    readonly channel: DeliveryChannel
    readonly now: number
    readonly claimedUntil: number
    readonly limit: number
    /** Events in somebody's hands, not to be claimed. */
    readonly except?: ReadonlySet<string>
  }) => Promise<ReadonlyArray<DueDelivery>>
  /** Ends an attempt. An attempt that is not the newest one of a pending delivery changes nothing but the record. */
  readonly recordAttempt: (attempt: AttemptRecord) => Promise<void>
  /** When the next callback over HTTP is due; null when none is pending. */
  readonly nextDueAt: () => Promise<number | null>
  /** How many deliveries are in a state that needs watching; each is counted up to `limit`, so that it costs little. */
  readonly countDeliveries: (limit: number) => Promise<{ readonly pending: number; readonly dead: number }>
  /**
   * Makes an event due now, whatever became of it, and starts its schedule of retries again. False when there is none,
   * when an attempt is under way, and for an event of a development stream whose file gave its key away.
   */
  readonly redeliver: (redelivery: { readonly id: string; readonly now: number }) => Promise<boolean>
  /** Ends all claims. For the one ingest of a catalog that is not shared, when it opens. */
  readonly releaseClaims: (now: number) => Promise<void>
  /** A file by key, whatever its state; null when unknown. */
  readonly get: (key: string) => Promise<UploadRecord | null>
  /** The newest `Uploaded` file of an app with this custom id. */
  readonly findByCustomId: (appId: string, customId: string) => Promise<FileRecord | null>
  /** What the files of an app take, kept up with every transition: never a walk over them. */
  readonly usage: (appId: string) => Promise<Usage>
  /**
   * Ends uploads nobody will finish, at most `limit` of each kind: unfinished ones that expired before
   * `expiredBefore` become `Failed`; finished client-side ones never registered and older than `unregisteredBefore`
   * become `Deleting`; registrations older than `abandonedBefore` without a file are forgotten. Gives how many.
   */
  readonly expire: (expire: {
    readonly expiredBefore: number
    readonly unregisteredBefore: number
    readonly abandonedBefore: number
    readonly limit: number
    readonly now: number
    readonly createEventId: () => string
  }) => Promise<number>
  /**
   * Forgets what is history, at most `limit` of each kind: `Failed` files whose URL expired before `before`, when their
   * bytes are gone and their event is not pending; attempts that began before it. Gives how many.
   */
  readonly prune: (prune: { readonly before: number; readonly limit: number }) => Promise<number>
  /** Blobs to remove. */
  readonly listReclaimable: (limit: number) => Promise<ReadonlyArray<Reclaimable>>
  /** The blob is removed: `Deleting → gone`; a `Failed` file stays known. */
  readonly reclaimed: (file: Reclaimable) => Promise<void>
  readonly close: () => Promise<void>
}

/** Why a catalog failed. */
export type CatalogReason =
  /** No room is left. */
  | "full"
  /** Another process holds it. */
  | "busy"
  /** What it is kept on failed, or may not be written. */
  | "io"

/** How a {@link Catalog} fails through no fault of its caller: the same call may succeed later. */
export class CatalogError extends Error {
  override readonly name = "CatalogError"
  readonly reason: CatalogReason
  constructor(reason: CatalogReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
}
