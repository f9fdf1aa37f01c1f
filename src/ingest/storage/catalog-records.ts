import type { ProblemCode } from "../../protocol/problem.ts"
import type { Hook } from "../../protocol/messages.ts"
import type { FileStatus } from "../../protocol/rest-messages.ts"
import type { TraceContext } from "../../protocol/trace-context.ts"

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
  readonly status: FileStatus
  readonly name: string
  readonly size: number
  readonly type: string
  readonly customId: string | null
  /** The file route of a client-side upload; null where no callback is due. */
  readonly slug: string | null
  /** Id of the registration that the upload belongs to, as its URL says it; null where it says none. */
  readonly registrationId: string | null
  /** When the first URL of the upload was signed; null where the URL does not say. */
  readonly issuedAt: number | null
  readonly contentDisposition: "inline" | "attachment" | null
  readonly acl: "public-read" | "private" | null
  /** The ingest's public URL when the upload began. */
  readonly origin: string
  /** When the newest signed URL that is known expires. */
  readonly expires: number
  /** The newest epoch granted to a writer. */
  readonly epoch: number
  readonly createdAt: number
  /** When the newest writer went on with it; null when the first one is the only one. */
  readonly resumedAt: number | null
  readonly uploadedAt: number | null
  readonly fileHash: string | null
  readonly failure: FileFailure | null
  /** Whether the catalog itself keeps the bytes: {@link CatalogUploads.readContent}. */
  readonly isInline: boolean
  /** When it became `Failed` or `Deleting`. */
  readonly endedAt: number | null
}

/** What the app said should happen when its files are there. */
export interface RegistrationRecord {
  readonly id: number
  /** JSON text, as it is sent on. */
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

/** What the app's callback returned: JSON text, or the reason it failed. */
export type ResultRecord = { readonly data: string } | { readonly error: string }

/** `pending → delivered | dead`. Source: docs/protocol.md §10. */
export type DeliveryStatus = "pending" | "delivered" | "dead"

/** How far the callback of a file is. */
export interface DeliveryRecord {
  /** `evt_…` */
  readonly id: string
  readonly hook: Hook
  readonly status: DeliveryStatus
  /** Attempts begun. */
  readonly attempts: number
  /** Attempts that ended without success, and all before it was last redelivered. */
  readonly failures: number
  /** When the next attempt of a pending one is due, or until when the one under way is claimed. */
  readonly nextAt: number
}

/** A file with all that hangs on it. */
export interface UploadRecord {
  readonly file: FileRecord
  readonly registration: RegistrationRecord | null
  readonly delivery: DeliveryRecord | null
  readonly result: ResultRecord | null
  /** When the result came. */
  readonly resultAt: number | null
}

/** A file with the event its app is owed, or was. */
export interface UploadWithDelivery extends UploadRecord {
  readonly delivery: DeliveryRecord
}

/** An event to be sent now: claimed, so that nobody else sends it before the claim ends. */
export interface DueDelivery {
  readonly id: string
  readonly hook: Hook
  /** This attempt, from 1. */
  readonly attempt: number
  /** Which retry of its schedule this attempt is; 0 for the first one, and for the first one after a redelivery. */
  readonly retry: number
  readonly file: FileRecord
  readonly registration: RegistrationRecord
}

/** One attempt to deliver an event, as it was recorded. */
export interface DeliveryAttempt {
  /** From 1, never used twice for one event. */
  readonly attempt: number
  /** ms since the epoch. */
  readonly startedAt: number
  /** ms */
  readonly latency: number
  /** Status of the app's answer; null when there was none. */
  readonly status: number | null
  /** Why it failed, with the first characters of the answer; null when it did not. */
  readonly error: string | null
  /**
   * The first characters of the app's answer, at most 512, as they came but for secrets; null when there was none, or
   * none in time. Untrusted: it may hold control characters.
   */
  readonly answer: string | null
}

/** How an attempt to deliver ended. */
export interface AttemptRecord extends DeliveryAttempt {
  readonly deliveryId: string
  /** What follows: done, tried again at a time, or given up. */
  readonly outcome: "delivered" | { readonly retryAt: number } | "dead"
}

/** What the files of an app take. Bytes. */
export interface Usage {
  /** How many are `Uploaded`. */
  readonly files: number
  /** The sizes of those. */
  readonly storedBytes: number
  /** The signed sizes of those that are `Uploading`. */
  readonly announcedBytes: number
  /**
   * What the catalog keeps beside the bytes of files: rows of files and registrations by a flat size, metadata,
   * addresses, keys and results by their length.
   */
  readonly catalogBytes: number
  /** Files that are announced: registered and not ended, or deleted before there was one. */
  readonly expectedFiles: number
  /** What the catalog keeps of those: each with its part of its registration, as it was when it was registered. */
  readonly expectedBytes: number
}

/** What the catalog may keep of one app. */
export interface CatalogBounds {
  /** The app's quota; undefined: any. */
  readonly quota?: number | undefined
  /** Files announced and not there yet. */
  readonly expectedFiles?: number | undefined
  /** Bytes the catalog keeps of those. */
  readonly expectedBytes?: number | undefined
}

/** What remains of a file that was deleted, for as long as a URL of its upload may be valid. */
export interface Tombstone {
  /** Uploads first signed until then are refused. ms since the epoch. */
  readonly deletedAt: number
  /** When it ends. ms since the epoch. */
  readonly until: number
}

/** A blob whose file is `Failed` or `Deleting`: its bytes can go. */
export interface Reclaimable {
  readonly id: number
  readonly key: string
}
