/** One call that may share a statement with others. */
interface Call<Job, Answer> {
  readonly job: Job
  readonly resolve: (answer: Answer | Promise<Answer>) => void
}

/** How calls of one kind are done together. */
export interface BatchSettings<Job, Answer> {
  /** The keys that a call changes: two calls of one statement have none in common. */
  readonly keysOf: (job: Job) => ReadonlyArray<string>
  /**
   * Does the common case for many calls in one statement; undefined: this call is none, and nothing was changed for it.
   * It rejects only where it has changed nothing, or where every call bears to be repeated.
   */
  readonly together: (jobs: ReadonlyArray<Job>) => Promise<ReadonlyArray<Answer | undefined>>
  /** Does one call, whatever the case is. */
  readonly alone: (job: Job) => Promise<Answer>
}

/** Calls in one statement at most, and the keys that they change. */
const most = { calls: 64, keys: 1000 }

/** Statements of one kind that run at the same time. */
const atOnce = 2

/**
 * Does calls of one turn of the event loop, and all that come while others are done, in statements that they share: one round
 * trip, one commit and one flush for up to 64 of them. Each has its own answer; when a statement fails, each of its calls
 * is done alone, and fails alone.
 */
export const createBatches = <Job, Answer>({
  keysOf,
  together,
  alone,
}: BatchSettings<Job, Answer>): ((job: Job) => Promise<Answer>) => {
  let waiting: Array<Call<Job, Answer>> = []
  const busyKeys = new Set<string>()
  let running = 0

  /** Takes calls that have no key in common with each other, nor with those that are being done. */
  const take = (): ReadonlyArray<Call<Job, Answer>> => {
    const taken: Array<Call<Job, Answer>> = []
    const left: Array<Call<Job, Answer>> = []
    let count = 0
    for (const call of waiting) {
      const keys = keysOf(call.job)
      const isFull = taken.length >= most.calls || (taken.length > 0 && count + keys.length > most.keys)
      if (isFull || keys.some((key) => busyKeys.has(key))) {
        left.push(call)
        continue
      }
      for (const key of keys) busyKeys.add(key)
      count += keys.length
      taken.push(call)
    }
    waiting = left
    return taken
  }

  const answer = async (calls: ReadonlyArray<Call<Job, Answer>>): Promise<void> => {
    const answers = await together(calls.map(({ job }) => job)).catch(() => [])
    for (const { job } of calls) for (const key of keysOf(job)) busyKeys.delete(key)
    for (const [index, { job, resolve }] of calls.entries()) resolve(answers[index] ?? alone(job))
  }

  const work = async (): Promise<void> => {
    running++
    while (waiting.length > 0) {
      // All calls of this turn, and those that the answers of the former ones lead to.
      await new Promise((resolve) => setImmediate(resolve))
      const calls = take()
      if (calls.length === 0) break
      await answer(calls)
    }
    running--
  }

  return (job) =>
    new Promise((resolve) => {
      waiting.push({ job, resolve })
      if (running < atOnce) void work()
    })
}
