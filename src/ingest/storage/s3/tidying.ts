/** How long is waited before what could not be tidied up is tried again, ms. */
const pauses = [1000, 5000, 30_000, 60_000, 300_000]

/** Removes what is of no use any more, without anybody waiting for it. */
export interface Tidying {
  /** Where bucket or journal fail it is tried again, some times: what is left then goes with the blob. */
  readonly tidy: (work: () => Promise<unknown>) => void
  /** Ends the pauses. Resolves once nothing is under way. */
  readonly close: () => Promise<void>
}

export const createTidying = (): Tidying => {
  const underWay = new Set<Promise<void>>()
  const closing = new AbortController()

  /** Resolves with whether it has waited. It keeps no process alive. */
  const wait = (time: number): Promise<boolean> =>
    process
      .getBuiltinModule("node:timers/promises")
      .setTimeout(time, true, { signal: closing.signal, ref: false })
      .catch(() => false)

  /** Resolves with whether it has succeeded. */
  const attempt = (work: () => Promise<unknown>): Promise<boolean> =>
    work().then(
      () => true,
      () => false,
    )

  const persist = async (work: () => Promise<unknown>): Promise<void> => {
    if (await attempt(work)) return
    for (const pause of pauses) if (!(await wait(pause)) || (await attempt(work))) return
  }

  return {
    tidy: (work) => {
      const done: Promise<void> = persist(work).finally(() => underWay.delete(done))
      underWay.add(done)
    },
    close: async () => {
      closing.abort()
      await Promise.all(underWay)
    },
  }
}
