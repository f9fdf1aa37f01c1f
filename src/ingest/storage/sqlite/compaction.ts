import type { DatabaseSync } from "node:sqlite"
import { blockingWait } from "./busy.ts"

/** Pages that one step releases: about a millisecond of the calling thread. */
const pagesPerStep = 128

/** Free pages that are kept for later use: this many, and never less than this share of all. */
const spare = { pages: 256, share: 1 / 16 }

/** Bytes of the largest database of an older version that is rewritten when it is opened. */
const largestRewrite = 256 * 1024 * 1024

/**
 * Bytes of the largest database that is rewritten after deletions, while it is served (at most once a minute, which
 * takes about a tenth of a second) and when it is closed. Pages that SQLite has rearranged keep copies of rows that
 * were moved, and `secure_delete` does not reach those; a larger database loses them as its pages are written again.
 */
const largestRewriteAfterDeletion = { open: 8 * 1024 * 1024, closing: 64 * 1024 * 1024 }

/** ms */
const rewriteInterval = 60_000

/** The value of `PRAGMA auto_vacuum` at which free pages can be released in steps. */
const incremental = 2

const ask = (database: DatabaseSync, pragma: string): number =>
  Number(Object.values(database.prepare(`PRAGMA ${pragma}`).get()!)[0])

/**
 * Deleted data is overwritten, and a new database can shrink; this has to be set before anything is written to it.
 *
 * `secure_delete = FAST` would leave the content of freed pages: that of small files.
 */
export const setCompaction = (database: DatabaseSync): void => {
  database.exec("PRAGMA secure_delete = ON")
  // To set what is set would be a write.
  if (ask(database, "auto_vacuum") !== incremental) database.exec("PRAGMA auto_vacuum = INCREMENTAL")
}

/**
 * Rewrites a database that an older version made, unless it is large: no deleted data is left in it, and from now on
 * it can shrink. False when it stays as it is.
 *
 * Fails: never; a database that is in use, or has no room for its copy, stays as it is.
 */
export const rewriteOld = (database: DatabaseSync, largest = largestRewrite): boolean => {
  if (ask(database, "auto_vacuum") === incremental) return true
  if (ask(database, "page_count") * ask(database, "page_size") > largest) return false
  try {
    database.exec("PRAGMA auto_vacuum = INCREMENTAL; VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")
    return true
  } catch {
    return false
  }
}

/** Keeps a database small and free of deleted data. */
export interface Compaction {
  /** One bounded step. True while there is more to do. */
  readonly step: () => Promise<boolean>
  /** Something was deleted. */
  readonly noteDeletion: () => void
  /** Called before the database is closed: what this connection has deleted must not be found in it. */
  readonly close: () => void
}

/**
 * @param run runs a write in a transaction
 */
export const createCompaction = (database: DatabaseSync, run: <A>(work: () => A) => Promise<A>): Compaction => {
  const canShrink = ask(database, "auto_vacuum") === incremental
  const countFree = database.prepare("PRAGMA freelist_count")
  const countPages = database.prepare("PRAGMA page_count")
  const count = (statement: typeof countFree): number => Number(Object.values(statement.get()!)[0])

  const truncateLog = (): void => {
    // A long read of the log must not block everybody else: the step is tried again later.
    database.exec("PRAGMA busy_timeout = 0")
    try {
      database.exec("PRAGMA wal_checkpoint(TRUNCATE)")
    } catch {
      // The log stays as it is; whatever was committed is in it.
    } finally {
      database.exec(`PRAGMA busy_timeout = ${blockingWait}`)
    }
  }

  /** Whether an earlier process deleted something is not known. */
  let hasDeleted = false
  let rewrittenAt = -Infinity

  const rewrite = (largest: number): void => {
    if (count(countPages) * ask(database, "page_size") > largest) return
    try {
      database.exec("PRAGMA busy_timeout = 0; VACUUM")
      hasDeleted = false
    } catch {
      // Somebody reads it, or there is no room: it is tried again after the next sweep.
    } finally {
      database.exec(`PRAGMA busy_timeout = ${blockingWait}`)
    }
  }

  return {
    noteDeletion: () => {
      hasDeleted = true
    },
    close: () => {
      if (hasDeleted) rewrite(largestRewriteAfterDeletion.closing)
      truncateLog()
    },
    step: async () => {
      const surplus = count(countFree) - Math.max(spare.pages, Math.ceil(count(countPages) * spare.share))
      if (canShrink && surplus > 0) {
        await run(() => database.exec(`PRAGMA incremental_vacuum(${Math.min(surplus, pagesPerStep)})`))
        return true
      }
      const isFirst = rewrittenAt === -Infinity
      if (isFirst || (hasDeleted && performance.now() - rewrittenAt >= rewriteInterval)) {
        rewrite(largestRewriteAfterDeletion.open)
        rewrittenAt = performance.now()
      }
      truncateLog()
      return false
    },
  }
}
