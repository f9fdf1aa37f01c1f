import type { Reclaimable } from "./records.ts"

/** Ends and deletes what is no longer needed, a bounded step at a time. */
export interface CatalogHousekeeping {
  /**
   * Ends abandoned uploads, at most `limit` of each kind, oldest first: unfinished ones that expired before
   * `expiredBefore` become `Failed`, and their writers are fenced off; finished client-side ones that were never
   * registered and are older than `unregisteredBefore` become `Deleting`; registrations without a file whose URLs
   * expired before `abandonedBefore` are deleted. Returns how many.
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
   * Deletes old history, at most `limit` of each kind: `Failed` files whose URL expired before `before`, with their
   * attempts, once their bytes are gone and their event is not pending; other attempts that began before it. Returns
   * how many.
   */
  readonly prune: (prune: { readonly before: number; readonly limit: number }) => Promise<number>
  /**
   * Returns room that deleted rows took to the file system, a bounded step at a time, and ensures that deleted data
   * cannot be found in the catalog's storage. True while there is more to do.
   */
  readonly compact: () => Promise<boolean>
  /** Blobs to remove, ordered by the ids of their files, starting after `after` (0). */
  readonly listReclaimable: (limit: number, after?: number) => Promise<ReadonlyArray<Reclaimable>>
  /** The blob is removed: `Deleting → gone`. A `Failed` file stays known. */
  readonly reclaimed: (file: Reclaimable) => Promise<void>
}
