import type { FileStatus } from "../../protocol/rest-messages.ts"
import type { DeliveryRecord, DeliveryStatus, FileRecord, UploadRecord } from "./catalog.ts"

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

/** A file with the event its app is owed, or was. */
export interface UploadWithDelivery extends UploadRecord {
  readonly delivery: DeliveryRecord
}

/** One page of a listing, newest first. */
export interface Page<Status extends string> {
  /** Only these. */
  readonly status?: Status | undefined
  /** Only files whose `id` is smaller: the `id` of the last one of the page before. */
  readonly before?: number | undefined
  readonly limit: number
}

/** One page of files. */
export interface FilePageOptions extends Page<FileStatus> {
  /** Only this app's. */
  readonly appId?: string | undefined
  /** How many to leave out; each costs as much as one that is read. */
  readonly offset?: number | undefined
}

/**
 * What operators look at. Each method reads through an index and changes nothing; another process may read while an
 * ingest runs.
 *
 * Fails: rejects with the driver's own error.
 */
export interface CatalogHistory {
  /** Files that hold their key, those that have failed included, newest first. */
  readonly list: (page: FilePageOptions) => Promise<ReadonlyArray<FileRecord>>
  /** Files with an event, also those whose key was taken since, newest first. */
  readonly listDeliveries: (page: Page<DeliveryStatus>) => Promise<ReadonlyArray<UploadWithDelivery>>
  /** The file an event is about, by the event's id (`evt_…`). */
  readonly findDelivery: (id: string) => Promise<UploadWithDelivery | null>
  /** All attempts of an event, oldest first. */
  readonly listAttempts: (deliveryId: string) => Promise<ReadonlyArray<DeliveryAttempt>>
}
