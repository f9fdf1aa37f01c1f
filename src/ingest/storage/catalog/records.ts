import type { ProblemCode } from "../../../protocol/errors/problem.ts"
import type { Hook } from "../../../protocol/messages.ts"
import type { FileStatus } from "../../../protocol/rest-messages.ts"
import type { TraceContext } from "../../../protocol/trace-context.ts"

/** Why a file is `Failed`. */
export interface FileFailure {
  readonly code: ProblemCode
  readonly message: string
}

/** A file as the catalog knows it. Times in ms since the epoch, sizes in bytes. */
export interface FileRecord {
  /** Grows with every new file; never reused. */
  readonly id: number
  readonly key: string
  readonly appId: string
  /** One that is `Uploaded` and has `hold` or `claimBy` is `Held` or `Pending` to everybody outside: {@link toFileStatus}. */
  readonly status: Exclude<FileStatus, "Held" | "Pending">
  readonly name: string
  readonly size: number
  readonly type: string
  readonly customId: string | null
  /** The file route of a client-side upload; null where no callback is due. */
  readonly slug: string | null
  /** Id of the registration that the upload belongs to, as its URL says; null where the URL does not say. */
  readonly registrationId: string | null
  /** When the first URL of the upload was signed; null where the URL does not say. */
  readonly issuedAt: number | null
  readonly contentDisposition: "inline" | "attachment" | null
  readonly acl: "public-read" | "private" | null
  /** How long caches may keep it; null where its URL did not say. */
  readonly cache: "revalidate" | "immutable" | null
  /** The ingest's public URL when the upload began. */
  readonly origin: string
  /** When the newest known signed URL expires. */
  readonly expires: number
  /** The newest epoch granted to a writer. */
  readonly epoch: number
  readonly createdAt: number
  /** When the newest writer resumed it; null where there has been only one writer. */
  readonly resumedAt: number | null
  readonly uploadedAt: number | null
  readonly fileHash: string | null
  readonly failure: FileFailure | null
  /** Whether the catalog itself keeps the bytes: {@link CatalogUploads.readContent}. */
  readonly isInline: boolean
  /** What the blob store wants to be told when its bytes are read; null where it needs nothing, or it has not arrived. */
  readonly blobRef: string | null
  /** When it became `Failed` or `Deleting`. */
  readonly endedAt: number | null
  /** Whose it is, as its app says; null where the app does not say. */
  readonly owner: string | null
  /** Where its app files it; null where the app does not say. */
  readonly path: string | null
  /** How long it is kept once it has arrived, ms; null: for ever. */
  readonly keepFor: number | null
  /** How long it waits to be claimed once it has arrived, ms; null: it needs no claim, or has been claimed. */
  readonly claimWithin: number | null
  /** Whether it is read by nobody, once it has arrived, until a verdict. */
  readonly hold: boolean
  /** When it expires; null: never, or it has not arrived. */
  readonly removeAt: number | null
  /** Until when it has to be claimed; null where it needs no claim, has been claimed, or has not arrived. */
  readonly claimBy: number | null
  /** When it was released; null where it was not held, or still is. */
  readonly releasedAt: number | null
  /** When it was claimed; null where it was not, or needed no claim. */
  readonly claimedAt: number | null
}

/** How much the files of one owner take. Bytes. */
export interface OwnerUsage {
  /** How many are `Uploaded` or `Pending`. */
  readonly files: number
  /** The total size of those. */
  readonly storedBytes: number
  /** The total signed size of those that are `Uploading`. */
  readonly announcedBytes: number
}

/** What the app said should happen when its files have arrived. */
export interface RegistrationRecord {
  readonly id: number
  /** JSON text, forwarded unchanged. */
  readonly metadata: string
  readonly callbackUrl: string
  readonly callbackSlug: string
  readonly awaitServerData: boolean
  readonly isDev: boolean
  /** The distributed trace the callbacks belong to. */
  readonly trace: TraceContext | null
  /** ms since the epoch; null when an older version wrote it. */
  readonly registeredAt: number | null
}

/** A registration before it is kept. */
export type NewRegistration = Omit<RegistrationRecord, "id" | "registeredAt">

/** What the app's callback returned: JSON text, or the reason it failed. */
export type ResultRecord = { readonly data: string } | { readonly error: string }

/** `pending → delivered | dead`. Source: docs/protocol.md §10. */
export type DeliveryStatus = "pending" | "delivered" | "dead"

/** The state of a file's callback. */
export interface DeliveryRecord {
  /** `evt_…` */
  readonly id: string
  readonly hook: Hook
  readonly status: DeliveryStatus
  /** Attempts that have begun. */
  readonly attempts: number
  /** Attempts that ended without success, and all attempts before it was last redelivered. */
  readonly failures: number
  /** When the next attempt of a pending one is due, or until when the current one is claimed. */
  readonly nextAt: number
}

/** A file with everything that belongs to it. */
export interface UploadRecord {
  readonly file: FileRecord
  readonly registration: RegistrationRecord | null
  readonly delivery: DeliveryRecord | null
  readonly result: ResultRecord | null
  /** When the result arrived. */
  readonly resultAt: number | null
}

/** A file with the event that its app is owed, or was. */
export interface UploadWithDelivery extends UploadRecord {
  readonly delivery: DeliveryRecord
}

/** An event to send now: it is claimed, so that no other process sends it before the claim ends. */
export interface DueDelivery {
  readonly id: string
  readonly hook: Hook
  /** The number of this attempt, from 1. */
  readonly attempt: number
  /** Which retry of its schedule this attempt is; 0 for the first one, also after a redelivery. */
  readonly retry: number
  readonly file: FileRecord
  readonly registration: RegistrationRecord
}

/** One attempt to deliver an event, as it was recorded. */
export interface DeliveryAttempt {
  /** From 1, never reused for the same event. */
  readonly attempt: number
  /** ms since the epoch. */
  readonly startedAt: number
  /** ms */
  readonly latency: number
  /** Status of the app's answer; null when there was none. */
  readonly status: number | null
  /** Why it failed, with the first characters of the answer; null when it succeeded. */
  readonly error: string | null
  /**
   * The first characters of the app's answer, at most 512, unchanged except for secrets; null when there was none, or
   * none in time, and when it was the result, which is kept with the file. Untrusted: it may contain control characters.
   */
  readonly answer: string | null
}

/** How an attempt to deliver ended. */
export interface AttemptRecord extends DeliveryAttempt {
  readonly deliveryId: string
  /** What follows: it is done, retried at a time, or given up. */
  readonly outcome: "delivered" | { readonly retryAt: number } | "dead"
}

/** How much the files of an app take. Bytes. */
export interface Usage {
  /** How many are `Uploaded`. */
  readonly files: number
  /** The total size of those. */
  readonly storedBytes: number
  /** The total signed size of those that are `Uploading`. */
  readonly announcedBytes: number
  /**
   * What the catalog keeps in addition to the bytes of files: rows of files and registrations at a flat size;
   * metadata, addresses, keys and results at their length.
   */
  readonly catalogBytes: number
  /** Files that are announced: registered and not ended, or deleted before there was one. */
  readonly expectedFiles: number
  /** What the catalog keeps for those: each with its share of its registration, as it was when it was registered. */
  readonly expectedBytes: number
}

/** How much the catalog may keep for one app. */
export interface CatalogBounds {
  /** The app's quota; undefined: no limit. */
  readonly quota?: number | undefined
  /** Files that are announced but have not arrived. */
  readonly expectedFiles?: number | undefined
  /** Bytes that the catalog keeps for those. */
  readonly expectedBytes?: number | undefined
}

/** What remains of a deleted file, for as long as a URL of its upload may be valid. */
export interface Tombstone {
  /** Uploads first signed at or before this time are refused. ms since the epoch. */
  readonly deletedAt: number
  /** When it ends. ms since the epoch. */
  readonly until: number
}

/** A blob whose file is `Failed` or `Deleting`: its bytes can be removed. */
export interface Reclaimable {
  readonly id: number
  readonly key: string
  /** No writer of it was given a newer epoch than this; absent in a catalog that does not say. */
  readonly lastEpoch?: number | undefined
}
