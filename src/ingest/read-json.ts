import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { readJson } from "../http/read-body.ts"
import { Rejected } from "../http/rejected.ts"

/**
 * The small JSON body of an app's request; it has to be here in time.
 *
 * Fails: BAD_REQUEST, with status 413 when it is larger than `maximum` bytes, 408 when it is not complete in `timeout` ms.
 */
export const readPromptJson = (request: Request, maximum: number, timeout: number): Effect.Effect<unknown, Rejected> =>
  Effect.timeoutOrElse(readJson(request, maximum), {
    duration: Duration.millis(timeout),
    orElse: () =>
      Effect.fail(
        new Rejected({
          code: "BAD_REQUEST",
          status: 408,
          detail: `The request's body was not complete within ${timeout / 1000} s. Send it again.`,
          headers: { connection: "close" },
        }),
      ),
  })
