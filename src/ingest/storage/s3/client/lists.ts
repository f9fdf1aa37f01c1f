import { comparePaths } from "../../path-order.ts"
import { toStrangeAnswer } from "./judge-failure.ts"
import type { S3Answer, S3Request, S3Requests } from "./s3-request.ts"

/** The name of an object in a list; undefined where its encoding is none. */
export const readName = (text: string, isEncoded: boolean): string | undefined => {
  if (!isEncoded) return text
  try {
    return decodeURIComponent(text.replaceAll("+", " "))
  } catch {
    return undefined
  }
}

/** Whether a name comes before another one by the bytes of their UTF-8, as S3 sorts: that is the order of code points. */
const isBefore = (a: string, b: string): boolean => (/[\ud800-\uffff]/.test(a + b) ? comparePaths(a, b) < 0 : a < b)

/** Whether names are in order, without repetition, and all behind one: otherwise a list may have no end. */
export const isAscending = (names: ReadonlyArray<string>, after: string | undefined): boolean =>
  names.every((name, index) => {
    const before = index === 0 ? after : names[index - 1]
    return before === undefined || isBefore(before, name)
  })

/** The names of a list. Fails: throws where one is not below the prefix: what is listed may be removed. */
export const requireBelow = <A extends { readonly key: string }>(
  operation: string,
  answer: S3Answer,
  prefix: string,
  listed: ReadonlyArray<A>,
): ReadonlyArray<A> => {
  if (listed.every(({ key }) => key.startsWith(prefix))) return listed
  throw toStrangeAnswer(operation, answer.status, "its list has names that were not asked for")
}

/** The most pages of a list that are read: of parts there are ten. */
export const mostPages = 1000

/** Reads all pages of a list: `readPage` takes one, and gives the query of the next. */
export const readPages = async (
  requests: S3Requests,
  request: S3Request,
  readPage: (answer: S3Answer) => Readonly<Record<string, string>> | undefined,
): Promise<void> => {
  for (let more: Readonly<Record<string, string>> | undefined = {}, last = "", page = 1; more !== undefined; page++) {
    const answer = await requests.send({ ...request, query: { ...request.query, ...more } })
    more = readPage(answer)
    const mark = JSON.stringify(more)
    if (mark === last || page === mostPages)
      throw toStrangeAnswer(request.operation, answer.status, "its list does not end")
    last = mark
  }
}

export const isTruncated = (text: string): boolean => text.trim() === "true"
