import * as Effect from "effect/Effect"
import { limits } from "../../protocol/limits.ts"
import { createDecoder } from "../../schema/decode.ts"
import { ScanVerdictSchema } from "../../schema/scan-verdict.ts"
import { toOneLine } from "./one-line.ts"
import type { ScanVerdict } from "./scanner.ts"

/** Bytes of a scanner's verdict with all that it says beside it. */
export const longestVerdict = 16 * 1024

const decode = createDecoder(ScanVerdictSchema)

/**
 * The verdict that a scanner with a URL has sent.
 *
 * Fails:  with sentences that say what is wrong with it.
 * Source: docs/protocol.md §10.
 */
export const readVerdict = (json: unknown): Effect.Effect<ScanVerdict, string> =>
  Effect.map(decode(json), (message) =>
    message.verdict === "release"
      ? { kind: "clean" }
      : { kind: "found", reason: toOneLine(message.reason ?? "", limits.rejectionReason) || undefined },
  )
