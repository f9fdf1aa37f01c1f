import { limits } from "./limits.ts"

/** One value as a line. */
export const encodeJsonLine = (value: unknown): string => `${JSON.stringify(value)}\n`

/** A heartbeat: an empty line. */
export const heartbeatLine = "\n"

/**
 * Reads newline-delimited JSON from a stream of bytes, however its chunks are cut: inside a line, inside a character,
 * several lines at once. Empty lines are skipped; a last line needs no newline.
 *
 * Fails:  throws `SyntaxError` on a line that is not JSON, `RangeError` on one over `limits.jsonLine` characters;
 *         errors of the stream pass through.
 * Source: docs/protocol.md §7.
 */
export async function* readJsonLines(stream: ReadableStream<Uint8Array>): AsyncGenerator<unknown, void> {
  const decoder = new TextDecoder()
  const reader = stream.getReader()
  let rest = ""
  const take = (text: string): string => {
    const line = rest + text
    if (line.length > limits.jsonLine) throw new RangeError(`A line is longer than ${limits.jsonLine} characters.`)
    return line
  }
  try {
    for (;;) {
      const { done, value } = await reader.read()
      // Only the new text is searched for line ends, so a line in many pieces costs no more than its length.
      const pieces = (done ? decoder.decode() : decoder.decode(value, { stream: true })).split("\n")
      const last = pieces.pop()!
      for (const piece of pieces) {
        const line = take(piece)
        rest = ""
        if (line.trim() !== "") yield JSON.parse(line)
      }
      rest = take(last)
      if (!done) continue
      if (rest.trim() !== "") yield JSON.parse(rest)
      return
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}
