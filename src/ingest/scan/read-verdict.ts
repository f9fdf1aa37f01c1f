import * as Effect from "effect/Effect"
import { limits } from "../../protocol/limits.ts"
import { parseJson } from "../../server-kit/read-body.ts"
import { createDecoder } from "../../schema/decode.ts"
import { ScanVerdictSchema } from "../../schema/scan-verdict.ts"
import { toOneLine } from "./one-line.ts"
import type { ScanVerdict } from "./scanner.ts"

/** Bytes of a scanner's verdict with all that it says beside it. */
export const longestVerdict = 16 * 1024

const decode = createDecoder(ScanVerdictSchema)

/** Strings, with the colon behind those that are names, and brackets. */
const tokens = /"(?:[^"\\]|\\.)*"(?:\s*:)?|[[\]{}]/g

/** Whether the object of a JSON text has a member twice: parsers take one of them, and not all the same one. */
const hasMemberTwice = (json: string): boolean => {
  const seen = new Set<unknown>()
  let depth = 0
  for (const [token] of json.matchAll(tokens)) {
    if (token === "{" || token === "[") depth++
    else if (token === "}" || token === "]") depth--
    else if (depth === 1 && token.endsWith(":")) {
      const name: unknown = JSON.parse(token.slice(0, -1))
      if (seen.has(name)) return true
      seen.add(name)
    }
  }
  return false
}

/**
 * The verdict that a scanner with a URL has sent. One with a member twice is none: a name of a file that a scanner wrote into
 * its answer as it was could have added the other.
 *
 * Fails:  with sentences that say what is wrong with it.
 * Source: docs/protocol.md §10.
 */
export const readVerdict = (bytes: Uint8Array): Effect.Effect<ScanVerdict, string> =>
  Effect.gen(function* () {
    const json = yield* Effect.mapError(parseJson(bytes), () => "The verdict is not JSON.")
    const message = yield* decode(json)
    if (hasMemberTwice(new TextDecoder().decode(bytes))) return yield* Effect.fail("The verdict has a member twice.")
    return message.verdict === "release"
      ? { kind: "clean" }
      : { kind: "found", reason: toOneLine(message.reason ?? "", limits.rejectionReason) || undefined }
  })
