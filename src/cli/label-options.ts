import { limits, type Outcome, parseDuration, readLabels } from "../protocol.ts"

const refuse = (detail: string): Outcome<never> => ({ ok: false, code: "INVALID_CONFIG", detail })

/** Reads whose a file is. An empty one is refused: a variable that is not set must not mean everybody. */
export const parseOwner = (text: string): Outcome<string> => {
  const read = readLabels({ owner: text })
  return read.ok ? { ok: true, value: text } : read
}

/** Reads where a file is filed. */
export const parseStoredPath = (text: string): Outcome<string> => {
  const read = readLabels({ path: text })
  return read.ok ? { ok: true, value: text } : read
}

/** Reads a folder that files are filed under, with or without the `/` at its end; its value has it. */
export const parsePathFolder = (text: string): Outcome<string> => {
  const read = parseStoredPath(text.replace(/\/$/, ""))
  return read.ok ? { ok: true, value: `${read.value}/` } : read
}

/** Reads the beginning of paths. */
export const parsePathPrefix = (text: string): Outcome<string> => {
  if (text === "" || text.length > limits.storedPath) {
    return refuse(`Expected the beginning of a path, 1 to ${limits.storedPath} characters.`)
  }
  return text.startsWith("/")
    ? refuse("Expected the beginning of a path, such as albums/summer/: no path begins with a slash.")
    : { ok: true, value: text }
}

/** Checks a length of time, and leaves it as it is written. */
export const parseSpan = (text: string): Outcome<string> =>
  parseDuration(text).ok
    ? { ok: true, value: text }
    : refuse('Expected a duration of at most a century, such as "24 hours" or "30 days"; a bare number is seconds.')
