import * as Schema from "effect/Schema"
import { limits } from "../protocol/limits.ts"

const encoder = new TextEncoder()

/** What a file may be called. */
export const FileName: Schema.Codec<string> = Schema.String.check(
  Schema.makeFilter((name: string) => {
    if (name === "") return "Expected a file name that is not empty"
    if (name.includes("\0")) return "Expected a file name without NUL characters"
    if (!name.isWellFormed()) return "Expected a file name of whole Unicode characters, no lone surrogates"
    return (
      name.length * 3 <= limits.fileName ||
      encoder.encode(name).length <= limits.fileName ||
      `Expected a file name of at most ${limits.fileName} bytes`
    )
  }),
)
