import * as Schema from "effect/Schema"
import { type FileLabels, findOwnerMistake, findStoredPathMistake } from "../protocol/files/file-labels.ts"
import { limits } from "../protocol/limits.ts"
import { checkedText } from "./checked-text.ts"

/** Whose a file is. */
export const Owner: Schema.Codec<string> = checkedText(
  findOwnerMistake,
  { minLength: 1, maxLength: limits.owner },
  "Whose the file is.",
)

/** Where an app files a file. */
export const StoredPath: Schema.Codec<string> = checkedText(
  findStoredPathMistake,
  { minLength: 1, maxLength: limits.storedPath },
  "Where the app files it: relative, with / between its segments.",
)

const wholeNumber = (what: string, maximum = Number.MAX_SAFE_INTEGER) =>
  Schema.optionalKey(
    Schema.Number.check(
      Schema.makeFilter(
        (value: number) => (Number.isSafeInteger(value) && value >= 0 && value <= maximum) || `Expected ${what}`,
      ),
    ),
  )

/** Its end is a time that can be written, and read again. */
const Span = wholeNumber("ms of at most a century", limits.longestLife)

/** Source: docs/protocol.md §4. */
export const FileLabelsSchema: Schema.Codec<FileLabels> = Schema.Struct({
  owner: Schema.optionalKey(Owner),
  path: Schema.optionalKey(StoredPath),
  ownerQuota: wholeNumber("bytes"),
  keepFor: Span,
  claimWithin: Span,
  hold: Schema.optionalKey(Schema.Boolean),
})
