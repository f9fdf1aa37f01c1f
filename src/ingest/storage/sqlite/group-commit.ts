import type { DatabaseSync } from "node:sqlite"
import { isBusy, patience, pauseBetweenTries } from "./busy.ts"
import { isFull } from "./error.ts"

interface Job {
  readonly work: () => unknown
  readonly resolve: (value: never) => void
  readonly reject: (cause: unknown) => void
  /** Since when it waits for another process, by `performance.now()`; undefined until it has to. */
  since?: number
}

/** What has become of a group. */
interface Group {
  /** Jobs that only wait for the flush, with their values. */
  readonly written: ReadonlyArray<{ readonly job: Job; readonly value: unknown }>
  /** Jobs for which there was no time. */
  readonly left: ReadonlyArray<Job>
}

const nothing: Group = { written: [], left: [] }

/** Writes to a database, each all or nothing. */
export interface GroupCommit {
  /** Resolves when what `work` wrote is on disk. `work` is synchronous and may run twice: only the last run counts. */
  readonly run: <A>(work: () => A) => Promise<A>
  /** Waits until everything is on disk. */
  readonly close: () => Promise<void>
}

/** How long the writes of a group may take, ms: while it writes nothing else is served. What is left is the next group. */
const longest = 20

/**
 * Commits in groups: all writes of one turn of the event loop share a transaction and a flush, and so do all that
 * arrive while the disk is busy with the previous group, as far as there is time for them.
 *
 * When one write of a group fails, the group is rolled back and each write runs in a transaction of its own, so that
 * it fails alone. While another process has locked the database, writes wait without blocking anything else.
 *
 * @param flush    makes durable what is committed so far
 * @param remedies what is tried, one after the other, where the disk is full: each says whether there is more room now
 */
export const createGroupCommit = (
  database: DatabaseSync,
  flush: () => Promise<void>,
  remedies: ReadonlyArray<() => boolean> = [],
): GroupCommit => {
  const begin = database.prepare("BEGIN IMMEDIATE")
  const commit = database.prepare("COMMIT")
  const rollback = database.prepare("ROLLBACK")
  let waiting: Array<Job> = []
  /** Jobs of the current group for which the database was locked. */
  let late: Array<Job> = []
  /** How many jobs of a group the last transaction has come to. */
  let tried = 0
  /** When a transaction got through last, by `performance.now()`: what has held up a job before that is over. */
  let throughAt = -Infinity
  let isWorking = false
  let worked: Promise<void> | undefined

  /** Runs jobs in one transaction, as many as there is time for; their values. */
  const transact = (jobs: ReadonlyArray<Job>): ReadonlyArray<unknown> => {
    const values: Array<unknown> = []
    const until = performance.now() + longest
    tried = 0
    begin.run()
    try {
      for (const { work } of jobs) {
        tried++
        values.push(work())
        if (performance.now() >= until) break
      }
      commit.run()
      throughAt = performance.now()
      return values
    } catch (cause) {
      if (database.isTransaction) rollback.run()
      throw cause
    }
  }

  const putOff = (job: Job, cause: unknown): void => {
    const now = performance.now()
    job.since ??= now
    if (now < Math.max(job.since, throughAt) + patience) late.push(job)
    else job.reject(cause)
  }

  /** Writes as much as there is time for. */
  const write = (jobs: ReadonlyArray<Job>, untried = remedies): Group => {
    // A try costs time in which nothing else happens.
    if (late.length > 0) {
      late.push(...jobs)
      return nothing
    }
    try {
      const written = transact(jobs).map((value, index) => ({ job: jobs[index]!, value }))
      return { written, left: jobs.slice(written.length) }
    } catch (cause) {
      if (isBusy(cause)) {
        for (const job of jobs) putOff(job, cause)
        return nothing
      }
      const helped = isFull(cause) ? untried.findIndex((remedy) => remedy()) : -1
      if (helped >= 0) return write(jobs, untried.slice(helped + 1))
      if (jobs.length > 1) {
        // None was tried where the transaction could not even begin: then it cannot for any, and each says so.
        const end = tried === 0 ? jobs.length : tried
        const [alone, left] = [jobs.slice(0, end), jobs.slice(end)]
        return { written: alone.flatMap((job) => write([job]).written), left }
      }
      jobs[0]!.reject(cause)
      return nothing
    }
  }

  /** Writes group after group, until nothing waits. */
  const work = async (): Promise<void> => {
    isWorking = true
    while (waiting.length > 0) {
      // All writes of this turn, and those triggered by the answers of the last group, share this one.
      await new Promise((resolve) => setImmediate(resolve))
      const jobs = waiting
      waiting = []
      const { written, left } = write(jobs)
      waiting = [...left, ...waiting]
      if (written.length > 0) {
        try {
          await flush()
          for (const { job, value } of written) job.resolve(value as never)
        } catch (cause) {
          for (const { job } of written) job.reject(cause)
        }
      }
      if (late.length === 0) continue
      await pauseBetweenTries()
      waiting = [...late, ...waiting]
      late = []
    }
    // Right after the last look, so that nothing can come in between and be forgotten.
    isWorking = false
  }

  return {
    run: (job) =>
      new Promise((resolve, reject) => {
        waiting.push({ work: job, resolve, reject })
        if (!isWorking) worked = work()
      }),
    close: async () => {
      await worked
    },
  }
}
