import { toStrangeAnswer } from "./judge-failure.ts"
import type { S3Answer, S3Request, S3Requests } from "./s3-request.ts"

/** The name of an object in a list. */
export const readName = (text: string, isEncoded: boolean): string =>
  isEncoded ? decodeURIComponent(text.replaceAll("+", " ")) : text

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
const mostPages = 1000

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
