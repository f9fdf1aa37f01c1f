import * as Schema from "effect/Schema"
import { limits } from "../protocol/limits.ts"
import { findPrefixMistake, type PrefixGrant } from "../protocol/signing/prefix-grant.ts"
import { checkedText } from "./checked-text.ts"
import { Owner } from "./file-labels.ts"

/** A folder whose files are read. */
const Prefix = checkedText(
  findPrefixMistake,
  { minLength: 2, maxLength: limits.storedPath },
  "The folder whose files are read, with / at its end.",
)

/** Source: docs/protocol.md §10. */
export const PrefixGrantSchema: Schema.Codec<PrefixGrant> = Schema.Struct({
  prefix: Prefix,
  owner: Schema.optionalKey(Owner),
  expires: Schema.Number.check(
    Schema.makeFilter((value: number) => Number.isSafeInteger(value) || "Expected ms since the epoch"),
  ),
})
