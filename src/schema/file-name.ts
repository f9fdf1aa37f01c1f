import type * as Schema from "effect/Schema"
import { findNameMistake } from "../protocol/files/file-name.ts"
import { limits } from "../protocol/limits.ts"
import { checkedText } from "./checked-text.ts"

/** A valid name for a file. */
export const FileName: Schema.Codec<string> = checkedText(
  findNameMistake,
  { pattern: "^[^\\u0000\\p{Cs}]+$", maxLength: limits.fileName },
  `The name of a file: at most ${limits.fileName} bytes of UTF-8.`,
)
