import * as Schema from "effect/Schema"
import { findCustomIdMistake } from "../protocol/file-name.ts"
import { limits } from "../protocol/limits.ts"

/** A valid custom id for a file. */
export const CustomId: Schema.Codec<string> = Schema.String.check(
  Schema.makeFilter(
    (customId: string) => {
      const mistake = findCustomIdMistake(customId)
      return mistake === undefined || `Expected ${mistake}`
    },
    {
      // As for names, a JSON Schema can only count characters.
      toJsonSchema: () => [{ minLength: 1, maxLength: limits.customId }, true],
      description: "The id an app gave a file.",
    },
  ),
)
