import type { DatabaseSync } from "node:sqlite"

interface Job {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (cause: unknown) => void
}

/** Writes to a database, each all or nothing. */
export interface GroupCommit {
  /** Resolves when what `work` wrote is on disk. `work` is synchronous and may run twice: only the last run counts. */
  readonly run: <A>(work: () => A) => Promise<A>
  /** Runs at once what is waiting, and waits until it is on disk. */
  readonly close: () => Promise<void>
}

/**
 * Commits in groups: all writes of one turn of the event loop share a transaction, and all transactions that were
 * committed while the disk was busy share its next flush.
 *
 * When one of a group fails, the group is rolled back and each runs in a transaction of its own, so that it fails alone.
 *
 * @param flush makes durable what is committed so far
 */
export const createGroupCommit = (database: DatabaseSync, flush: () => Promise<void>): GroupCommit => {
  const begin = database.prepare("BEGIN IMMEDIATE")
  const commit = database.prepare("COMMIT")
  const rollback = database.prepare("ROLLBACK")
  let waiting: Array<Job> = []
  /** Settle the jobs that are committed and not yet flushed. */
  let committed: Array<(failed?: { readonly cause: unknown }) => void> = []
  let isFlushing = false
  let flushed: Promise<void> | undefined

  const transact = (jobs: ReadonlyArray<Job>): ReadonlyArray<unknown> => {
    begin.run()
    try {
      const values = jobs.map(({ work }) => work())
      commit.run()
      return values
    } catch (cause) {
      if (database.isTransaction) rollback.run()
      throw cause
    }
  }

  const write = (jobs: ReadonlyArray<Job>): void => {
    try {
      const values = transact(jobs)
      for (const [index, { resolve, reject }] of jobs.entries()) {
        committed.push((failed) => (failed === undefined ? resolve(values[index] as never) : reject(failed.cause)))
      }
    } catch (cause) {
      if (jobs.length === 1) jobs[0]!.reject(cause)
      else for (const job of jobs) write([job])
    }
  }

  const flushAll = async (): Promise<void> => {
    isFlushing = true
    while (committed.length > 0) {
      const settled = committed
      committed = []
      const failed = await flush().then(
        () => undefined,
        (cause: unknown) => ({ cause }),
      )
      for (const settle of settled) settle(failed)
    }
    // At once after the last look, so that nothing is committed in between and then forgotten.
    isFlushing = false
  }

  const runAll = (): void => {
    const jobs = waiting
    waiting = []
    if (jobs.length > 0) write(jobs)
    if (!isFlushing) flushed = flushAll()
  }

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        if (waiting.push({ work, resolve, reject }) === 1) setImmediate(runAll)
      }),
    close: async () => {
      runAll()
      await flushed
    },
  }
}
