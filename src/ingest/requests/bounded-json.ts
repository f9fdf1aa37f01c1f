import * as Effect from "effect/Effect"
import { formatByteSize } from "../../protocol/byte-size.ts"
import { Rejected } from "../../server-kit/rejected.ts"

/** JSON text of a value, at most `maximum` bytes of it. Fails: BAD_REQUEST with status 413. */
export const toBoundedJson = (what: string, value: unknown, maximum: number): Effect.Effect<string, Rejected> => {
  const text = JSON.stringify(value)
  const isTooLarge =
    text.length > maximum || (text.length * 3 > maximum && new TextEncoder().encode(text).length > maximum)
  return isTooLarge
    ? Effect.fail(
        new Rejected({
          code: "BAD_REQUEST",
          status: 413,
          detail: `${what} is larger than ${formatByteSize(maximum)} as JSON.`,
        }),
      )
    : Effect.succeed(text)
}
