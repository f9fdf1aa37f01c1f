import type * as Schema from "effect/Schema"
import { findCustomIdMistake } from "../protocol/files/file-name.ts"
import { limits } from "../protocol/limits.ts"
import { checkedText } from "./checked-text.ts"

/** A valid custom id for a file. */
export const CustomId: Schema.Codec<string> = checkedText(
  findCustomIdMistake,
  { minLength: 1, maxLength: limits.customId },
  "The id an app gave a file.",
)
