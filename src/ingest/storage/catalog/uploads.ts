import type { FileLabels } from "../../../protocol/files/file-labels.ts"
import type { UploadGrant } from "../../../protocol/signing/signed-url.ts"
import type {
  AttemptRecord,
  DueDelivery,
  FileFailure,
  FileRecord,
  NewRegistration,
  OwnerUsage,
  ResultRecord,
  UploadRecord,
  Usage,
} from "./records.ts"

/** What {@link CatalogUploads.begin} decided. */
export type Begun =
  /**
   * Continue writing with this epoch. `isNew`: nothing can be stored of this file yet; it may have taken over an older
   * file's key.
   */
  | { readonly kind: "granted"; readonly epoch: number; readonly isNew: boolean; readonly id: number }
  /** The file is already stored. */
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
  /** The quota of its owner has no room for the file; nothing changed. */
  | { readonly kind: "overOwnerQuota"; readonly usage: OwnerUsage }
  /** Another live process writes this key, and was asked to let it go; nothing else changed. */
  | { readonly kind: "held" }

/** What {@link CatalogUploads.commit} decided. */
export type Committed =
  /** The file is `Uploaded`; `due` is its first delivery, claimed, when the app has registered. */
  | { readonly kind: "committed"; readonly upload: UploadRecord; readonly due: DueDelivery | null }
  /** A newer writer was granted an epoch; nothing changed. */
  | { readonly kind: "fenced" }

/** What the commit of a file records in addition to the file. */
export interface CommitNotes {
  readonly now: number
  /** Id of the event, should one be due. */
  readonly eventId: string
  /** Until when the first attempt is claimed for the caller; null: it is not claimed, and due at once. */
  readonly claimedUntil: number | null
}

/** Knows the life of each upload: how it begins, how it ends, and what its app's callback returned. */
export interface CatalogUploads {
  /**
   * A writer of the granted file starts or resumes: raises the epoch, and so fences off all earlier writers. For an
   * upload that is resumed, the newest URL decides its ACL, its content disposition and its custom id.
   */
  readonly begin: (begin: {
    readonly grant: UploadGrant
    /** What the app wants, where the URL says so. It is kept unless the upload is registered already. */
    readonly registration?: NewRegistration | undefined
    /** What the app says of the file; kept when the file is new, and ignored when it is resumed. */
    readonly labels?: FileLabels | undefined
    readonly origin: string
    readonly now: number
    /** Id of the event for the app of an upload whose key this one takes over; none is created by default. */
    readonly eventId?: string | undefined
    /** How much the app's files may take, stored and announced together; checked when a file is new, not when it is resumed. */
    readonly quota?: number | undefined
    readonly appSince?: number | undefined
    /** Answer `held` rather than fence off a writer of another live process. False by default. */
    readonly unlessHeld?: boolean | undefined
  }) => Promise<Begun>
  /**
   * Raises the epoch of an upload in progress without resuming it; null when there is none.
   *
   * @param unlessHeld as for {@link CatalogUploads.begin}
   */
  readonly interrupt: (key: string, unlessHeld?: boolean) => Promise<number | "held" | null>
  /** `Uploading → Uploaded`, with the delivery row when the app has registered. Only with the newest epoch. */
  readonly commit: (
    commit: {
      readonly key: string
      readonly epoch: number
      readonly fileHash: string
      /** What the blob store gave for the finished blob. */
      readonly blobRef: string | null
    } & CommitNotes,
  ) => Promise<Committed>
  /**
   * Nothing → `Uploaded`: a small file that arrived in one piece, with its bytes. `refused`: something exists under
   * this key already, or the quota has no room; nothing changed, and {@link CatalogUploads.begin} says which.
   */
  readonly commitWhole: (
    commit: {
      readonly grant: UploadGrant
      /** As for {@link CatalogUploads.begin}. */
      readonly registration?: NewRegistration | undefined
      readonly labels?: FileLabels | undefined
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
   * Keeps the app's result for an `Uploaded` file, and ends the attempt that a development stream made for it. The
   * event, also that of a failed file, then counts as delivered; after an error it is still owed. An error of an
   * attempt other than the newest one in progress there changes nothing. False when the app has no such file.
   */
  readonly recordResult: (result: {
    readonly appId: string
    readonly key: string
    /** Id of the event that this is the result of: it belongs to that event's file, whoever has the key now. */
    readonly eventId?: string | undefined
    /** Attempt that this is the result of; by default the newest. */
    readonly attempt?: number | undefined
    readonly result: ResultRecord
    readonly now: number
    /**
     * Decides what follows a failed attempt on a development stream, given which retry of its schedule it was. Due at
     * once by default.
     */
    readonly judge?: ((retry: number) => AttemptRecord["outcome"]) | undefined
  }) => Promise<boolean>
  /** A file by key, whatever its state; null when unknown. */
  readonly get: (key: string) => Promise<UploadRecord | null>
  /**
   * The same for up to a thousand different keys, in any order; those that are unknown are left out. The cost grows with
   * the keys, not with the files that exist: whoever waits for a file asks again and again.
   */
  readonly getMany: (keys: ReadonlyArray<string>) => Promise<ReadonlyArray<UploadRecord>>
  /**
   * The newest `Uploaded` file of an app with this custom id: among those that {@link isReadable} and that wait for no
   * claim, or among all.
   *
   * @param now a readable one whose time has passed by then hides no older one; without it, time does not count
   */
  readonly findByCustomId: (
    appId: string,
    customId: string,
    among?: "readable" | "all",
    now?: number,
  ) => Promise<FileRecord | null>
  /**
   * The newest file of an app with exactly this path, among those that {@link isReadable} and that wait for no claim; with
   * `owner` among this owner's. Those that are not hide no older one. The cost does not grow with the files that exist.
   */
  readonly findByPath: (find: {
    readonly appId: string
    readonly path: string
    readonly owner?: string | undefined
    readonly now: number
  }) => Promise<FileRecord | null>
}
