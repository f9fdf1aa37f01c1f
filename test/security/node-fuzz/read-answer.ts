/** One answer out of what a server has sent. */
export interface Answer {
  readonly status: number
  /** The code of a problem document, and so of our own code; `-` where it is none. */
  readonly code: string
  /** Whether the server keeps the connection. */
  readonly isKept: boolean
  /** Where in the text it ends. */
  readonly end: number
}

const findEndOfChunks = (text: string, from: number): number | undefined => {
  for (let at = from; ;) {
    const line = text.indexOf("\r\n", at)
    if (line < 0) return undefined
    const length = Number.parseInt(text.slice(at, line), 16)
    if (length === 0) {
      const end = text.indexOf("\r\n\r\n", line)
      return end < 0 ? undefined : end + 4
    }
    at = line + 2 + length + 2
    if (at > text.length) return undefined
  }
}

/**
 * The first answer in `text`, interim ones (1xx) passed over; undefined while it is incomplete.
 *
 * Fails: throws where it is no HTTP.
 */
export const readAnswer = (text: string, isHead: boolean, from = 0): Answer | undefined => {
  const headEnd = text.indexOf("\r\n\r\n", from)
  if (headEnd < 0) return undefined
  const head = text.slice(from, headEnd)
  const status = Number(/^HTTP\/1\.1 (\d{3})(?: |\r|$)/.exec(head)?.[1])
  if (Number.isNaN(status)) throw new Error(`No HTTP: ${JSON.stringify(head.slice(0, 200))}`)
  if (status < 200) return readAnswer(text, isHead, headEnd + 4)
  const isKept = !/\r\nconnection: *close/i.test(head)
  const start = headEnd + 4
  const length = /\r\ncontent-length: *(\d+)/i.exec(head)?.[1]
  let end: number | undefined
  if (isHead || status === 204 || status === 304) end = start
  else if (/\r\ntransfer-encoding: *chunked/i.test(head)) end = findEndOfChunks(text, start)
  else end = length === undefined ? start : start + Number(length)
  if (end === undefined || end > text.length) return undefined
  const code = /"code":"([A-Z_]+)"/.exec(text.slice(start, end))?.[1]
  const isProblem = /\r\ncontent-type: *application\/problem\+json/i.test(head)
  return { status, code: isProblem ? (code ?? "HEAD") : "-", isKept, end }
}
