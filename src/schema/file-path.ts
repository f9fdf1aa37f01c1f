import * as Schema from "effect/Schema"
import { findPathMistake } from "../protocol/file-path.ts"

/** A valid path of a file in a folder. */
export const FilePath: Schema.Codec<string> = Schema.String.check(
  Schema.makeFilter((path: string) => {
    const mistake = findPathMistake(path)
    return mistake === undefined || `Expected ${mistake}`
  }),
)
