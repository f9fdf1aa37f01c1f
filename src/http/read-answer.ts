import { formatByteSize } from "../protocol/byte-size.ts"
import type { HttpAnswer } from "./transport.ts"

/** How much of an answer people read, characters. */
const startLength = 512

/** The words of a page, as far as needed: what a proxy says, without its markup. */
const toWords = (page: string): string =>
  page
    .replace(/<(style|script|!--)[^]*?(<\/\1>|-->|$)/gi, " ")
    .replace(/<[^>]*(>|$)/g, " ")
    .replace(/\s+/g, " ")
    .trim()
    .slice(0, 120)

/**
 * An answer as text, as far as it arrives within `patience` ms and until it is longer than `most` characters. An answer
 * that was read to its end leaves its connection free for the next request; for a longer one the connection is closed.
 */
export const readText = async (answer: HttpAnswer, patience: number, most: number): Promise<string> => {
  const timer = setTimeout(answer.giveUp, patience)
  const decoder = new TextDecoder()
  let text = ""
  try {
    await answer.read((piece) => {
      text += decoder.decode(piece, { stream: true })
      return text.length <= most
    })
  } catch {
    // broken off: what came before is all there is
  }
  clearTimeout(timer)
  return text
}

/** The first 512 characters of an answer, or some words of an HTML page, as far as they arrive within `patience` ms. */
export const readStart = async (answer: HttpAnswer, patience: number): Promise<string> => {
  const start = (await readText(answer, patience, startLength)).slice(0, startLength)
  return /^\s*</.test(start) ? toWords(start) : start
}

/** All of an answer as text. Fails: rejects where it broke off, and where it has more than `maximum` bytes. */
export const readWhole = async (answer: HttpAnswer, maximum: number): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  await answer.read((piece) => {
    size += piece.length
    text += decoder.decode(piece, { stream: true })
    return size <= maximum
  })
  if (size > maximum) throw new RangeError(`one of more than ${formatByteSize(maximum)} is not read`)
  return text + decoder.decode()
}
