import type { CatalogApps } from "./apps.ts"
import type { CatalogDeletions } from "./deletions.ts"
import type { CatalogDeliveries } from "./deliveries.ts"
import type { CatalogEndpoints } from "./endpoints.ts"
import type { CatalogFiles } from "./files.ts"
import type { CatalogHistory } from "./history.ts"
import type { CatalogHolds } from "./holds.ts"
import type { CatalogHousekeeping } from "./housekeeping.ts"
import type { CatalogProcesses } from "./processes.ts"
import type { OwnerUsage, Usage } from "./records.ts"
import type { CatalogRegistrations } from "./registrations.ts"
import type { CatalogTombstones } from "./tombstones.ts"
import type { CatalogUploads } from "./uploads.ts"

export type * from "./records.ts"

/**
 * Knows every file, registration, delivery and app, and keeps the bytes of small files.
 *
 * Each method is one transaction, named after the transition it performs, and durable when it resolves (where
 * `abilities.isDurable`). What must happen after a transition is a row in the same transaction.
 *
 * `appSince` says when the app was created that a caller acts for: if that app is deleted meanwhile, nothing is
 * attributed to another app of the same id. Without it, the app need not be in the catalog.
 *
 * Units:  all times are ms since the epoch and given by the caller.
 * Fails:  rejects with {@link CatalogError} when its storage fails; a transition that does not apply is a value, not
 *         an error.
 */
export interface Catalog
  extends
    CatalogUploads,
    CatalogRegistrations,
    CatalogDeliveries,
    CatalogFiles,
    CatalogDeletions,
    CatalogHolds,
    CatalogTombstones,
    CatalogApps,
    CatalogEndpoints,
    CatalogHousekeeping,
    CatalogHistory {
  readonly abilities: {
    readonly isDurable: boolean
    /** Several ingests may share the catalog: it has {@link Catalog.processes}. */
    readonly isShared: boolean
    /** Size of the largest file that {@link Catalog.commitWhole} takes, bytes; 0: none. */
    readonly largestContent: number
  }
  /** Absent where only one ingest may use the catalog. */
  readonly processes?: CatalogProcesses | undefined
  /** How much the files of an app take, updated with every transition rather than computed by walking over them. */
  readonly usage: (appId: string) => Promise<Usage>
  /** How much the files of one owner of an app take, updated in the same way. */
  readonly usageOfOwner: (appId: string, owner: string) => Promise<OwnerUsage>
  /** Rejects where nothing could be written now. It is asked at most once a second, and changes nothing. */
  readonly probe: () => Promise<void>
  /** Bytes that are free where it is kept. Absent where there is no such limit, or no way to know it. Asked at most once a second. */
  readonly free?: (() => Promise<number>) | undefined
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

/** A failure of a {@link Catalog} that is not its caller's fault: the same call may succeed later. */
export class CatalogError extends Error {
  override readonly name = "CatalogError"
  readonly reason: CatalogReason
  constructor(reason: CatalogReason, message: string, cause?: unknown) {
    super(message, { cause })
    this.reason = reason
  }
  /** True for any copy of the class: a driver may be installed beside a copy of its own. */
  static is(value: unknown): value is CatalogError {
    return value instanceof Error && value.name === "CatalogError" && "reason" in value
  }
}
