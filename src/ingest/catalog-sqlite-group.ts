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
  /** Runs at once what is waiting. */
  readonly flush: () => void
}

/**
 * Commits in groups: all writes of one turn of the event loop share a transaction, and so one flush of the disk.
 *
 * When one of them fails, the group is rolled back and each runs in a transaction of its own, so that it fails alone.
 */
export const createGroupCommit = (database: DatabaseSync): GroupCommit => {
  const begin = database.prepare("BEGIN IMMEDIATE")
  const commit = database.prepare("COMMIT")
  const rollback = database.prepare("ROLLBACK")
  let waiting: Array<Job> = []

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

  const settle = (jobs: ReadonlyArray<Job>): void => {
    try {
      for (const [index, value] of transact(jobs).entries()) jobs[index]!.resolve(value as never)
    } catch (cause) {
      if (jobs.length === 1) jobs[0]!.reject(cause)
      else for (const job of jobs) settle([job])
    }
  }

  const flush = (): void => {
    const jobs = waiting
    waiting = []
    if (jobs.length > 0) settle(jobs)
  }

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        if (waiting.push({ work, resolve, reject }) === 1) setImmediate(flush)
      }),
    flush,
  }
}
