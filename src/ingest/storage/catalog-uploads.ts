import type { UploadGrant } from "../../protocol/signed-url.ts"
import type {
  AttemptRecord,
  DueDelivery,
  FileFailure,
  FileRecord,
  ResultRecord,
  UploadRecord,
  Usage,
} from "./catalog-records.ts"

/** What {@link CatalogUploads.begin} decided. */
export type Begun =
  /** Go on writing with this epoch. `isNew`: nothing can be stored of this file yet; it may have taken an older one's key. */
  | { readonly kind: "granted"; readonly epoch: number; readonly isNew: boolean; readonly id: number }
  /** The file is there already. */
  | { readonly kind: "finished"; readonly upload: UploadRecord }
  /** The file has failed for good under this very grant. */
  | { readonly kind: "failed"; readonly failure: FileFailure }
  /** Another finished file has the key, or an upload that was issued later. */
  | { readonly kind: "taken" }
  /** The app has deleted the file this grant is for; see {@link CatalogTombstones.judgeKey}. */
  | { readonly kind: "deleted" }
  /** It may be that file, or a new upload whose registration is under way. */
  | { readonly kind: "unregistered" }
  /** The app was deleted since it was asked for; nothing changed. */
  | { readonly kind: "unknownApp" }
  /** The app's quota has no room for the file; nothing changed. */
  | { readonly kind: "overQuota"; readonly usage: Usage }

/** What {@link CatalogUploads.commit} decided. */
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

/** Knows the life of each upload: how it begins, how it ends, and what the callback of its app returned. */
export interface CatalogUploads {
  /**
   * A writer of the granted file starts or goes on: raises the epoch, and so fences all earlier writers off. Of an upload
   * that goes on, the newest URL says who may read it, how it is offered and by which custom id.
   */
  readonly begin: (begin: {
    readonly grant: UploadGrant
    readonly origin: string
    readonly now: number
    /** Id of the event that the app of an upload is owed whose key this one takes; none is made unless given. */
    readonly eventId?: string | undefined
    /** What the app's files may take, stored and announced together; asked when a file is new, not when it goes on. */
    readonly quota?: number | undefined
    readonly appSince?: number | undefined
  }) => Promise<Begun>
  /** Raises the epoch of an upload that is under way without going on with it; null when there is none. */
  readonly interrupt: (key: string) => Promise<number | null>
  /** `Uploading → Uploaded`, with the delivery row when the app has registered. Only with the newest epoch. */
  readonly commit: (
    commit: { readonly key: string; readonly epoch: number; readonly fileHash: string } & CommitNotes,
  ) => Promise<Committed>
  /**
   * Nothing → `Uploaded`: a small file that came in one piece, its bytes with it. `refused`: there is something of this
   * key already, or no room in the quota; nothing changed, and {@link CatalogUploads.begin} says what it is.
   */
  readonly commitWhole: (
    commit: {
      readonly grant: UploadGrant
      readonly origin: string
      readonly bytes: Uint8Array
      readonly fileHash: string
      readonly quota?: number | undefined
      readonly appSince?: number | undefined
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
  /**
   * Keeps the app's result of an `Uploaded` file, and ends the attempt that a development stream made for it: the event is
   * delivered, also one of a failed file, or by an error owed still. An error of an attempt that is not the newest one under
   * way there changes nothing. False when the app has no such file.
   */
  readonly recordResult: (result: {
    readonly appId: string
    readonly key: string
    /** Of the event this is the result of: it is for that file, whoever has the key now. */
    readonly eventId?: string | undefined
    /** Of the event, that this is the result of; the newest unless given. */
    readonly attempt?: number | undefined
    readonly result: ResultRecord
    readonly now: number
    /** What follows a failed attempt of a development stream: by which retry of its schedule it was. Due at once unless given. */
    readonly judge?: ((retry: number) => AttemptRecord["outcome"]) | undefined
  }) => Promise<boolean>
  /** A file by key, whatever its state; null when unknown. */
  readonly get: (key: string) => Promise<UploadRecord | null>
  /** The newest `Uploaded` file of an app with this custom id: of those that {@link isReadable}, or of all. */
  readonly findByCustomId: (appId: string, customId: string, among?: "readable" | "all") => Promise<FileRecord | null>
}
