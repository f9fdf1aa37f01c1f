import { parseProblem } from "../protocol/parse-problem.ts"
import { UploadError } from "../protocol/upload-error.ts"
import type { Attempt } from "./retry.ts"

/** An answer, read to its end. */
export interface Reply {
  readonly status: number
  readonly body: string
  /** Only what CORS lets a page see. */
  readonly header: (name: string) => string | null
}

/** The function requests are made with; `globalThis.fetch` fits. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>

/** An error for a request that got no answer. */
export const networkError = (cause?: unknown): UploadError =>
  new UploadError({
    code: "NETWORK_ERROR",
    message: "The server cannot be reached or the connection broke. Check it and try again.",
    cause,
  })

/**
 * Sends a request and reads the whole answer.
 *
 * Fails: rejects with NETWORK_ERROR; with an UploadError that the body's stream broke off with.
 */
export const fetchReply = async (fetch: Fetch, url: string, init: RequestInit): Promise<Reply> => {
  try {
    const response = await fetch(url, init)
    return { status: response.status, body: await response.text(), header: (name) => response.headers.get(name) }
  } catch (cause) {
    throw [cause, (cause as Error | undefined)?.cause].find(UploadError.is) ?? networkError(cause)
  }
}

/** ms from a number of seconds or a date. */
const toWait = (retryAfter: string | null): number | undefined => {
  const ms = Number(retryAfter) * 1000 || Date.parse(retryAfter ?? "") - Date.now()
  return ms > 0 ? ms : undefined
}

/**
 * The value in a successful answer, else its error and when the server wants to be asked again.
 *
 * @param read gives undefined for a body that is not what was asked for
 */
export const readReply = <A>(reply: Reply, read: (json: unknown) => A | undefined): Attempt<A> => {
  if (reply.status < 200 || reply.status > 299) {
    return { error: parseProblem(reply.status, reply.body), wait: toWait(reply.header("retry-after")) }
  }
  let value: A | undefined
  try {
    value = read(JSON.parse(reply.body))
  } catch {
    // not JSON: a login page, say
  }
  return value === undefined
    ? {
        error: new UploadError({
          code: "INVALID_CONFIG",
          message: "The answer is not Sluice's. Is the route handler at the uploader's `url`?",
        }),
      }
    : { value }
}
