import type { ProblemCode } from "../../protocol/problem.ts"
import type { Hook } from "../../protocol/messages.ts"
import type { FileStatus } from "../../protocol/rest-messages.ts"
import type { TraceContext } from "../../protocol/trace-context.ts"
import type { DeliveryAttempt } from "./catalog-history.ts"

/** Why a file is `Failed`. */
export interface FileFailure {
  readonly code: ProblemCode
  readonly message: string
}

/** A file as the catalog knows it. Times in ms since the epoch, sizes in bytes. */
export interface FileRecord {
  /** Grows with every file begun; never used twice. */
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
  readonly contentDisposition: "inline" | "attachment" | null
  readonly acl: "public-read" | "private" | null
  /** The ingest's public URL when the upload began. */
  readonly origin: string
  /** When the signed URL expires. */
  readonly expires: number
  /** The newest epoch granted to a writer. */
  readonly epoch: number
  readonly createdAt: number
  /** When the newest writer went on with it; null when the first one is the only one. */
  readonly resumedAt: number | null
  readonly uploadedAt: number | null
  readonly fileHash: string | null
  readonly failure: FileFailure | null
  /** Whether the catalog itself keeps the bytes: {@link Catalog.readContent}. */
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
}

/** A blob whose file is `Failed` or `Deleting`: its bytes can go. */
export interface Reclaimable {
  readonly id: number
  readonly key: string
}
