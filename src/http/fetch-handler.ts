import * as Cause from "effect/Cause"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import { toProblemResponse } from "./problem-response.ts"
import { Rejected } from "./rejected.ts"

/**
 * Turns an effect per request into `(Request) => Promise<Response>`: the one place that runs effects for a request.
 *
 * Every failure becomes a problem document. What nobody foresaw becomes an opaque INTERNAL_ERROR whose id is also
 * logged. The promise never rejects.
 *
 * @param handle  one request in, one response out; a defect or an interruption is an INTERNAL_ERROR
 * @param context what the effects need, loggers included; made once
 */
export const createFetchHandler = <Arguments extends ReadonlyArray<unknown>, R>(
  handle: (...args: Arguments) => Effect.Effect<Response, Rejected, R>,
  context: Context.Context<R>,
): ((...args: Arguments) => Promise<Response>) => {
  const run = Effect.runPromiseExitWith(context)
  return async (...args) => {
    const exit = await run(handle(...args))
    if (Exit.isSuccess(exit)) return exit.value
    const failure = exit.cause.reasons.find(Cause.isFailReason)
    if (failure !== undefined) return toProblemResponse(failure.error)
    const id = crypto.randomUUID()
    await run(Effect.logError("A request failed for a reason nobody foresaw.", { id }, exit.cause))
    return toProblemResponse(
      new Rejected({ code: "INTERNAL_ERROR", detail: `Something went wrong. The server's log has it under ${id}.` }),
    )
  }
}
