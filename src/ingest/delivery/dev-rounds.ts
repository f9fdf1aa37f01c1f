import type { Write } from "../../server-kit/logging.ts"

/** How long an event waits that could not be sent, ms: twice as long each time. */
const delay = { first: 100, longest: 10_000 }

/** Rounds in which events are put onto development streams; one that failed is followed by another one. */
export interface DevRounds {
  readonly begin: () => void
  /** Something could not be sent: there is a new round in any case. The first failure in a row is logged. */
  readonly failed: (cause: unknown, facts: Record<string, string>) => void
  readonly end: () => void
  readonly close: () => void
}

/** @param isNeeded whether there is any stream: one that opens starts a round itself */
export const createDevRounds = (start: () => void, isNeeded: () => boolean, write: Write): DevRounds => {
  let hasFailed = false
  let failedInARow = 0
  let timer: ReturnType<typeof setTimeout> | undefined
  return {
    begin: () => (hasFailed = false),
    failed: (cause, facts) => {
      if (!hasFailed) {
        failedInARow++
        if (failedInARow === 1) {
          write("Warning", "Events could not be sent on a development stream; trying again.", [facts, cause])
        }
      }
      hasFailed = true
      if (!isNeeded()) return
      timer ??= setTimeout(
        () => {
          timer = undefined
          start()
        },
        Math.min(delay.first * 2 ** (failedInARow - 1), delay.longest),
      )
    },
    end: () => {
      if (!hasFailed) failedInARow = 0
    },
    close: () => clearTimeout(timer),
  }
}
