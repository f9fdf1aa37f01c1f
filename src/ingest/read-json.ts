import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import { parseJson, readBytes } from "../http/read-body.ts"
import { Rejected } from "../http/rejected.ts"

/**
 * The small JSON body of an app's request; it has to be here in time. `absent` is what a body of no bytes stands for.
 *
 * Fails: BAD_REQUEST, with status 413 when it is larger than `maximum` bytes, 408 when it is not complete in `timeout` ms.
 */
export const readPromptJson = (
  request: Request,
  maximum: number,
  timeout: number,
  absent?: unknown,
): Effect.Effect<unknown, Rejected> => {
  const body = Effect.flatMap(readBytes(request, maximum), (bytes) =>
    bytes.length === 0 && absent !== undefined ? Effect.succeed(absent) : parseJson(bytes),
  )
  return Effect.timeoutOrElse(body, {
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
}
