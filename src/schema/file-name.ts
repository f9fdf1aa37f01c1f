import * as Schema from "effect/Schema"
import { findNameMistake } from "../protocol/file-name.ts"
import { limits } from "../protocol/limits.ts"

/** A valid name for a file. */
export const FileName: Schema.Codec<string> = Schema.String.check(
  Schema.makeFilter(
    (name: string) => {
      const mistake = findNameMistake(name)
      return mistake === undefined || `Expected ${mistake}`
    },
    {
      // A JSON Schema can only count characters, but the limit is in bytes.
      toJsonSchema: () => [{ pattern: "^[^\\u0000\\p{Cs}]+$", maxLength: limits.fileName }, true],
      description: `The name of a file: at most ${limits.fileName} bytes of UTF-8.`,
    },
  ),
)
