import * as Schema from "effect/Schema"
import { limits } from "../protocol/limits.ts"
import type { DirectQuestion } from "../protocol/messages.ts"

/** Source: docs/protocol.md §10. */
export const DirectQuestionSchema: Schema.Codec<DirectQuestion> = Schema.Struct({
  parts: Schema.Array(
    Schema.Struct({
      number: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 10_000 })),
      sha256: Schema.String.check(Schema.isPattern(/^[0-9a-f]{64}$/)),
    }),
  ).check(Schema.isMaxLength(limits.directParts, { message: `Expected at most ${limits.directParts} parts` })),
})
