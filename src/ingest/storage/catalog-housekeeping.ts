import type { Reclaimable } from "./catalog-records.ts"

/** Ends and forgets what nobody waits for any more, a bounded step at a time. */
export interface CatalogHousekeeping {
  /**
   * Ends uploads nobody will finish, at most `limit` of each kind, the oldest first: unfinished ones that expired before
   * `expiredBefore` become `Failed`, and their writers are fenced off; finished client-side ones never registered and older than `unregisteredBefore`
   * become `Deleting`; registrations without a file whose URLs expired before `abandonedBefore` are forgotten. Gives how
   * many.
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
   * bytes are gone and their event is not pending, with its attempts; other attempts that began before it. Gives how many.
   */
  readonly prune: (prune: { readonly before: number; readonly limit: number }) => Promise<number>
  /**
   * Gives room that deleted rows took back to the file system, a bounded step at a time, and sees to it that nothing
   * deleted can be found in what the catalog is kept on. True while there is more to do.
   */
  readonly compact: () => Promise<boolean>
  /** Blobs to remove, by the ids of their files, from the first behind `after` (0) on. */
  readonly listReclaimable: (limit: number, after?: number) => Promise<ReadonlyArray<Reclaimable>>
  /** The blob is removed: `Deleting → gone`; a `Failed` file stays known. */
  readonly reclaimed: (file: Reclaimable) => Promise<void>
}
