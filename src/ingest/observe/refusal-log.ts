import type { Write } from "../../server-kit/logging.ts"

type Level = "Info" | "Warning"

/** Entries of one kind that are logged individually in a {@link span}; one entry at its end counts the others. */
const mostEach = 10

/** ms */
const span = 60_000

const summaries = {
  Info: "More requests were refused than are logged one by one.",
  Warning: "More requests could not be served than are logged one by one.",
} as const satisfies Record<Level, string>

/** Logs requests that were refused or could not be served, so that clients cannot fill the log with them. */
export interface RefusalLog {
  /**
   * Logs the first ones of each code in each minute and counts the others; logs all of them at level Debug.
   *
   * @param code the code of the problem, of which there are few
   */
  readonly log: (level: Level, message: string, code: string, toDetails: () => ReadonlyArray<unknown>) => void
  /** Logs how many were not logged so far. */
  readonly close: () => void
}

/** Most refusals need no key: a scan of an address costs the log no more than a typing error. */
export const createRefusalLog = (write: Write, isDebugged: boolean): RefusalLog => {
  let counts: Record<Level, Map<string, number>> = { Info: new Map(), Warning: new Map() }
  let timer: ReturnType<typeof setTimeout> | undefined

  const sum = (): void => {
    clearTimeout(timer)
    timer = undefined
    const ended = counts
    counts = { Info: new Map(), Warning: new Map() }
    for (const level of ["Info", "Warning"] as const) {
      const more = [...ended[level]].filter(([, count]) => count > mostEach)
      if (more.length === 0) continue
      write(level, summaries[level], [Object.fromEntries(more.map(([code, count]) => [code, count - mostEach]))])
    }
  }

  return {
    log: (level, message, code, toDetails) => {
      const count = (counts[level].get(code) ?? 0) + 1
      counts[level].set(code, count)
      if (timer === undefined) {
        timer = setTimeout(sum, span)
        timer.unref?.()
      }
      if (count <= mostEach) write(level, message, toDetails())
      else if (isDebugged) write("Debug", message, toDetails())
    },
    close: sum,
  }
}
