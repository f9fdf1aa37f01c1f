import * as Schema from "effect/Schema"
import { findNameMistake } from "../protocol/file-name.ts"

/** What a file may be called. */
export const FileName: Schema.Codec<string> = Schema.String.check(
  Schema.makeFilter((name: string) => {
    const mistake = findNameMistake(name)
    return mistake === undefined || `Expected ${mistake}`
  }),
)
