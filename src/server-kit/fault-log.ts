import * as Effect from "effect/Effect"
import { problems, toHelp } from "../protocol/errors/problem.ts"
import { logError } from "./logging.ts"
import { createReminder } from "./reminder.ts"
import type { Rejected } from "./rejected.ts"

/** Logs a rejection that somebody on the server's side has to fix. */
export type FaultLog = (rejected: Rejected) => Effect.Effect<void>

/** An error and its causes, the last one at the end; causes may form a circle. */
const toChain = (error: unknown, depth = 5): ReadonlyArray<Error> =>
  error instanceof Error && depth > 0 ? [error, ...toChain(error.cause, depth - 1)] : []

/**
 * What caused a fault, for its line in the log. A cause with a name of its own (ECONNREFUSED, an answer of 401) is put
 * into words, because its stack is that of this package and tells nothing. Otherwise it is the error itself, with its
 * stack.
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
 * Logs what the caller cannot fix, but the operator has to: a missing token, an ingest that does not answer. Errors of
 * the app's own code are not logged here; they were logged where they were thrown.
 */
export const logServerFault = (rejected: Rejected, facts?: object): Effect.Effect<void> => {
  const { code, detail, status = problems[code].status, cause } = rejected
  // An unknown version of HTTP is the client's mistake.
  const isOurs = (status >= 500 && status !== 505) || problems[code].status >= 500
  return !isOurs || code === "ROUTE_FAILED"
    ? Effect.void
    : logError(detail, { code, help: toHelp(code), ...facts }, ...(cause === undefined ? [] : [describeCause(cause)]))
}

/**
 * Like {@link logServerFault}; but a wrong configuration, which fails every request in the same way, is logged once an
 * hour and counted.
 *
 * @param hints what else may help in that case
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
