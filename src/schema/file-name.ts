import * as Schema from "effect/Schema"
import { findNameMistake } from "../protocol/file-name.ts"
import { limits } from "../protocol/limits.ts"

/** What a file may be called. */
export const FileName: Schema.Codec<string> = Schema.String.check(
  Schema.makeFilter(
    (name: string) => {
      const mistake = findNameMistake(name)
      return mistake === undefined || `Expected ${mistake}`
    },
    {
      // A JSON Schema counts characters; the bytes are what counts.
      toJsonSchema: () => [{ pattern: "^[^\\u0000\\p{Cs}]+$", maxLength: limits.fileName }, true],
      description: `The name of a file: at most ${limits.fileName} bytes of UTF-8.`,
    },
  ),
)
