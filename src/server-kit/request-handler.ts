import type * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { type Answer, checkHeaders } from "../http/answer.ts"
import { type FaultLog, logServerFault } from "./fault-log.ts"
import { logError } from "./logging.ts"
import { toProblemAnswer } from "./problem-answer.ts"
import { Rejected } from "./rejected.ts"

/** For the log: an error unchanged, so that its stack shows; anything else that was thrown as an attribute. */
const toDetail = (reason: Cause.Reason<never>): unknown => {
  if (reason._tag === "Interrupt") return "It was interrupted."
  const thrown = reason._tag === "Die" ? reason.defect : reason.error
  return thrown instanceof Error ? thrown : { thrown }
}

/**
 * Turns an effect per request into a promise of its answer: the only place that runs effects for a request.
 *
 * Every failure becomes a problem document. An unexpected error becomes an opaque INTERNAL_ERROR whose id is also
 * logged. The promise never rejects.
 *
 * @param handle  one request in, one answer out; a defect or an interruption is an INTERNAL_ERROR
 * @param context what the effects need, loggers included; made once
 * @param publish the part of a rejection that callers see, after it was logged; by default all of it
 * @param logFault logs the rejection
 */
export const createRequestHandler = <Arguments extends ReadonlyArray<unknown>, R>(
  handle: (...args: Arguments) => Effect.Effect<Answer, Rejected, R>,
  context: Context.Context<R>,
  publish: (rejected: Rejected) => Rejected = (rejected) => rejected,
  logFault: FaultLog = logServerFault,
): ((...args: Arguments) => Promise<Answer>) => {
  const run = Effect.runPromiseExitWith(context)
  const answer = (...args: Arguments) =>
    Effect.suspend(() => handle(...args)).pipe(
      // Rendered inside the effect: an invalid `data` or header is a defect like any other.
      Effect.catch((rejected) => Effect.map(logFault(rejected), () => toProblemAnswer(publish(rejected)))),
      Effect.map(checkHeaders),
    )
  return async (...args) => {
    const exit = await run(answer(...args))
    if (Exit.isSuccess(exit)) return exit.value
    const id = crypto.randomUUID()
    await run(logError("A request failed unexpectedly.", { id }, ...exit.cause.reasons.map(toDetail)))
    return toProblemAnswer(
      new Rejected({ code: "INTERNAL_ERROR", detail: `Something went wrong. The server's log has it under ${id}.` }),
    )
  }
}
