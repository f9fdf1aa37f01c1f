import * as Effect from "effect/Effect"
import { Rejected } from "../server-kit/rejected.ts"
import { formatByteSize } from "../protocol/byte-size.ts"
import type { UserCode } from "./describe-thrown.ts"
import { callUserCode } from "./user-code.ts"

const encoder = new TextEncoder()

/**
 * The return value of user code as JSON; null where JSON has no form for it.
 *
 * Fails: `Rejected`, status 413, over `maximum` bytes, where `remedy` says what to do; as {@link callUserCode} does
 *        where it is not valid JSON (a cycle, a BigInt).
 */
export const encodeReturned = (
  returned: unknown,
  { code, maximum, remedy }: { readonly code: UserCode; readonly maximum: number; readonly remedy: string },
): Effect.Effect<string, Rejected> =>
  Effect.flatMap(
    callUserCode(code, () => JSON.stringify(returned) ?? "null"),
    (json) => {
      const size = json.length * 3 > maximum ? encoder.encode(json).length : json.length
      return size > maximum
        ? Effect.fail(
            new Rejected({
              code: "INVALID_CONFIG",
              status: 413,
              detail: `What the route's ${code.hook} returned has ${formatByteSize(size)} (${size} bytes) as JSON; at most ${formatByteSize(maximum)} are allowed. ${remedy}`,
            }),
          )
        : Effect.succeed(json)
    },
  )
