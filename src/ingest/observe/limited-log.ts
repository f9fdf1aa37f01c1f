import type { Write } from "../../server-kit/logging.ts"

/** Entries of one kind and subject that are logged individually in a {@link span}; one entry at its end counts the others. */
const mostEach = 10

/** ms */
const span = 60_000

/** Entries that others cause, as many as they like: how each kind is logged, and what the entry says that counts the rest. */
const kinds = {
  refused: ["Info", "More requests were refused than are logged one by one."],
  uploadFailed: ["Info", "More uploads have failed than are logged one by one."],
  rejected: ["Info", "More files were rejected than are logged one by one."],
  undecided: ["Warning", "More files were left undecided by the scanner than are logged one by one."],
  deleted: ["Info", "More deletions were asked for than are logged one by one."],
  unanswered: ["Warning", "More receivers have stopped answering than are logged one by one."],
  answersAgain: ["Info", "More receivers have answered again than are logged one by one."],
  unserved: ["Warning", "More requests could not be served than are logged one by one."],
  callbackFailed: ["Warning", "More callbacks failed than are logged one by one."],
  callbackGivenUp: ["Warning", "More callbacks were given up than are logged one by one."],
  eventFailed: ["Warning", "More events did not reach endpoints than are logged one by one."],
  eventGivenUp: ["Warning", "More events for endpoints were given up than are logged one by one."],
} as const

type Kind = keyof typeof kinds

/** Logs what clients, apps and endpoints cause, so that they cannot fill the log with it. */
export interface LimitedLog {
  /**
   * Logs the first entries of each kind and subject in each minute and counts the others; logs all of them at level Debug.
   *
   * @param subject the code of a problem, an app or an endpoint: something of which there are few
   */
  readonly log: (kind: Kind, subject: string, message: string, toDetails: () => ReadonlyArray<unknown>) => void
  /** Logs how many were not logged so far. */
  readonly close: () => void
}

/**
 * Most refusals need no key: a scan of an address costs the log no more than a typing error. An endpoint that is down costs it
 * no more with thousands of events than with ten.
 */
export const createLimitedLog = (write: Write, isDebugged: boolean): LimitedLog => {
  const counts = new Map<Kind, Map<string, number>>()
  let timer: ReturnType<typeof setTimeout> | undefined

  const sum = (): void => {
    clearTimeout(timer)
    timer = undefined
    const ended = [...counts]
    counts.clear()
    for (const [kind, ofKind] of ended) {
      const more = [...ofKind].filter(([, count]) => count > mostEach)
      if (more.length === 0) continue
      const [level, summary] = kinds[kind]
      write(level, summary, [Object.fromEntries(more.map(([subject, count]) => [subject, count - mostEach]))])
    }
  }

  return {
    log: (kind, subject, message, toDetails) => {
      const ofKind = counts.get(kind) ?? new Map<string, number>()
      counts.set(kind, ofKind)
      const count = (ofKind.get(subject) ?? 0) + 1
      ofKind.set(subject, count)
      if (timer === undefined) {
        timer = setTimeout(sum, span)
        timer.unref?.()
      }
      if (count <= mostEach) write(kinds[kind][0], message, toDetails())
      else if (isDebugged) write("Debug", message, toDetails())
    },
    close: sum,
  }
}
