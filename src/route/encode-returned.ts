import * as Effect from "effect/Effect"
import { Rejected } from "../http/rejected.ts"
import { formatByteSize } from "../protocol/byte-size.ts"

const encoder = new TextEncoder()

/**
 * What user code returned, as JSON; null where JSON cannot say it.
 *
 * Fails: `Rejected`, status 413, over `maximum` bytes: `what` was too large, `remedy` says what to do; dies where it is
 *        no JSON (a cycle, a BigInt).
 */
export const encodeReturned = (
  returned: unknown,
  { what, maximum, remedy }: { readonly what: string; readonly maximum: number; readonly remedy: string },
): Effect.Effect<string, Rejected> =>
  Effect.suspend(() => {
    const json = JSON.stringify(returned) ?? "null"
    const size = json.length * 3 > maximum ? encoder.encode(json).length : json.length
    return size > maximum
      ? Effect.fail(
          new Rejected({
            code: "INVALID_CONFIG",
            status: 413,
            detail: `${what} has ${formatByteSize(size)} (${size} bytes) as JSON; at most ${formatByteSize(maximum)} travel. ${remedy}`,
          }),
        )
      : Effect.succeed(json)
  })
