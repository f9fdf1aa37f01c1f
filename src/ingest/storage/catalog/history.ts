import type { FileStatus } from "../../../protocol/rest-messages.ts"
import type { DeliveryAttempt, DeliveryStatus, FileRecord, UploadWithDelivery } from "./records.ts"

/** One page of a listing, newest first. */
export interface Page<Status extends string> {
  /** Only those with this status. */
  readonly status?: Status | undefined
  /** Only files whose `id` is smaller: the `id` of the last one of the previous page. */
  readonly before?: number | undefined
  readonly limit: number
}

/** One page of files. */
export interface FilePageOptions extends Page<FileStatus> {
  /** Only this app's. */
  readonly appId?: string | undefined
  /** Only this owner's; with `appId` alone. */
  readonly owner?: string | undefined
  /** How many to skip; each costs as much as one that is read. */
  readonly offset?: number | undefined
}

/**
 * Listings for operators. Each method reads through an index and changes nothing. Another process may read while an
 * ingest runs.
 *
 * Fails: rejects with the driver's own error.
 */
export interface CatalogHistory {
  /** Files that hold their key, including failed ones, newest first. */
  readonly list: (page: FilePageOptions) => Promise<ReadonlyArray<FileRecord>>
  /**
   * Files of an app whose path begins with a text, in the order of their paths, compared byte by byte as UTF-8, and of
   * their ids.
   */
  readonly listByPath: (page: {
    readonly appId: string
    /** Every path begins with the empty one. */
    readonly prefix: string
    readonly owner?: string | undefined
    readonly status?: FileStatus | undefined
    /** The last file of the previous page. */
    readonly after?: { readonly path: string; readonly id: number } | undefined
    readonly limit: number
  }) => Promise<ReadonlyArray<FileRecord>>
  /** Files with an event, including those whose key was taken over since, newest first. */
  readonly listDeliveries: (page: Page<DeliveryStatus>) => Promise<ReadonlyArray<UploadWithDelivery>>
  /** The file an event is about, by the event's id (`evt_…`). */
  readonly findDelivery: (id: string) => Promise<UploadWithDelivery | null>
  /** All attempts of an event, oldest first. */
  readonly listAttempts: (deliveryId: string) => Promise<ReadonlyArray<DeliveryAttempt>>
}
