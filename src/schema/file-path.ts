import type * as Schema from "effect/Schema"
import { findPathMistake } from "../protocol/files/file-path.ts"
import { limits } from "../protocol/limits.ts"
import { checkedText } from "./checked-text.ts"

/** A valid path of a file in a folder. */
export const FilePath: Schema.Codec<string> = checkedText(
  findPathMistake,
  { minLength: 1, maxLength: limits.filePath },
  "Where the file was in the folder that was chosen.",
)
