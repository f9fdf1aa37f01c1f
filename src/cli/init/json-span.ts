/** The position of a value in a text: from `start`, up to but excluding `end`. */
export interface Span {
  readonly start: number
  readonly end: number
}

/** Strings, brackets and punctuation, and all other values. */
const token = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g

/**
 * Finds the string, number or word at a path of keys in JSON, so that it can be changed while everything else stays
 * the same.
 *
 * @param json valid JSON, with or without a byte order mark; of a repeated key the last one counts
 * @returns undefined where there is no such value, or it is an object or array
 */
export const findJsonSpan = (json: string, path: ReadonlyArray<string>): Span | undefined => {
  /** The current key in each open object; for arrays a number, which is never a key. */
  const open: Array<string | number> = []
  let isKey = false
  let found: Span | undefined
  for (const { 0: text, index } of json.replace(/^\uFEFF/, " ").matchAll(token)) {
    if (text === "{" || text === "[") {
      open.push(text === "{" ? "" : 0)
      isKey = text === "{"
    } else if (text === "}" || text === "]") {
      open.pop()
    } else if (text === ",") {
      isKey = typeof open.at(-1) === "string"
    } else if (text === ":") {
      isKey = false
    } else if (isKey) {
      open[open.length - 1] = JSON.parse(text) as string
    } else if (open.length === path.length && open.every((key, at) => key === path[at])) {
      found = { start: index, end: index + text.length }
    }
  }
  return found
}
