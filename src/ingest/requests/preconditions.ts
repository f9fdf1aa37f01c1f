import type { Incoming } from "../../http/incoming.ts"

/** The three formats of a date in HTTP. Source: RFC 9110 §5.6.7. */
const httpDate =
  /^(?:[A-Z][a-z]{2}, \d\d [A-Z][a-z]{2} \d{4} [\d:]{8} GMT|[A-Z][a-z]{5,8}, \d\d-[A-Z][a-z]{2}-\d\d [\d:]{8} GMT|[A-Z][a-z]{2} [A-Z][a-z]{2} [ \d]\d [\d:]{8} \d{4})$/

/** Seconds since the epoch; NaN where the text is not a date of HTTP. */
const parseHttpDate = (text: string): number =>
  // The oldest format does not say that it is in GMT.
  httpDate.test(text) ? Date.parse(text.endsWith("GMT") ? text : `${text} GMT`) / 1000 : Number.NaN

/** What conditions compare of a stored file. */
export interface Validators {
  /** A strong entity tag, in its quotes. */
  readonly etag: string
  /** ms since the epoch. */
  readonly modifiedAt: number
}

/** HTTP dates have whole seconds. */
const toSeconds = (time: number): number => Math.floor(time / 1000)

/** The entity tags of a list; a weak one keeps its `W/`. */
const parseTags = (list: string): ReadonlyArray<string> => list.match(/(?:W\/)?"[^"]*"/g) ?? []

const isMatch = (list: string, etag: string, toTag: (tag: string) => string): boolean =>
  list.trim() === "*" || parseTags(list).some((tag) => toTag(tag) === etag)

const isSince = (date: number, modifiedAt: number): boolean => toSeconds(modifiedAt) <= date

/**
 * Evaluates the conditions of a GET or HEAD: 412 where the caller wants another version than the stored one, 304 where
 * it already has this one; undefined: answer the request.
 *
 * Source: RFC 9110 §13.2.2, steps 1 to 4. An invalid date is no condition.
 */
export const evaluatePreconditions = (
  headers: Incoming["headers"],
  { etag, modifiedAt }: Validators,
): "precondition failed" | "not modified" | undefined => {
  const match = headers.get("if-match")
  const unmodifiedSince = parseHttpDate(headers.get("if-unmodified-since") ?? "")
  const isOther =
    match === null
      ? !Number.isNaN(unmodifiedSince) && !isSince(unmodifiedSince, modifiedAt)
      : !isMatch(match, etag, (tag) => tag)
  if (isOther) return "precondition failed"
  const noneMatch = headers.get("if-none-match")
  const isKnown =
    noneMatch === null
      ? isSince(parseHttpDate(headers.get("if-modified-since") ?? ""), modifiedAt)
      : isMatch(noneMatch, etag, (tag) => tag.replace(/^W\//, ""))
  return isKnown ? "not modified" : undefined
}

/** Whether a range of the caller's version is a range of the stored file. Source: RFC 9110 §13.1.5. */
export const isRangeFresh = (headers: Incoming["headers"], { etag, modifiedAt }: Validators): boolean => {
  const condition = headers.get("if-range")
  if (condition === null) return true
  return condition.includes('"') ? condition.trim() === etag : parseHttpDate(condition.trim()) === toSeconds(modifiedAt)
}
