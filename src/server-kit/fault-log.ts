import * as Effect from "effect/Effect"
import { problems, toHelp } from "../protocol/problem.ts"
import { logError } from "./logging.ts"
import { createReminder } from "./reminder.ts"
import type { Rejected } from "./rejected.ts"

/** Logs a rejection that somebody here has to mend. */
export type FaultLog = (rejected: Rejected) => Effect.Effect<void>

/** An error and those behind it, the last one at the end; causes may form a circle. */
const toChain = (error: unknown, depth = 5): ReadonlyArray<Error> =>
  error instanceof Error && depth > 0 ? [error, ...toChain(error.cause, depth - 1)] : []

/**
 * What caused a fault, for its line in the log: in words where it has a name of its own (ECONNREFUSED, an answer of 401), for
 * then the stack is that of this package and tells nobody anything. Else the error itself, with its stack.
 */
const describeCause = (cause: unknown): unknown => {
  const chain = toChain(cause)
  const last = chain.at(-1)
  if (last === undefined || !("code" in last || "_tag" in last)) return cause
  const messages = chain.map(({ name, message }) => message || name)
  const isSaid = (text: string, index: number) => messages.slice(0, index).some((before) => before.includes(text))
  return { cause: messages.filter((text, index) => !isSaid(text, index)).join(" ") }
}

/**
 * Logs what the caller cannot mend, and somebody here has to: a missing token, an ingest that does not answer. Not what the
 * app's own code threw, which was logged where it did.
 */
export const logServerFault = (rejected: Rejected, facts?: object): Effect.Effect<void> => {
  const { code, detail, status = problems[code].status, cause } = rejected
  // A version of HTTP that there is not is the client's mistake.
  const isOurs = (status >= 500 && status !== 505) || problems[code].status >= 500
  return !isOurs || code === "ROUTE_FAILED"
    ? Effect.void
    : logError(detail, { code, help: toHelp(code), ...facts }, ...(cause === undefined ? [] : [describeCause(cause)]))
}

/**
 * As {@link logServerFault}; a wrong set-up, which fails every request in the same way, is logged once an hour and counted.
 *
 * @param hints what else may help there
 */
export const createFaultLog = (hints: () => Promise<ReadonlyArray<string>> = async () => []): FaultLog => {
  const remind = createReminder()
  return (rejected) =>
    Effect.suspend(() => {
      if (!/TOKEN|CONFIG/.test(rejected.code)) return logServerFault(rejected)
      const missed = remind(rejected.detail)
      if (missed === undefined) return Effect.void
      return Effect.flatMap(Effect.promise(hints), (found) =>
        logServerFault(rejected, {
          ...(missed > 0 && { again: missed }),
          ...(found.length > 0 && { hint: found.join(" ") }),
        }),
      )
    })
}
