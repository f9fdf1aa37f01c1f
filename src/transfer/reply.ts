import { type ForeignAnswer, parseProblem, type Peer } from "../protocol/errors/parse-problem.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import type { Attempt } from "./attempt.ts"

/** An answer, read to its end. */
export interface Reply {
  readonly status: number
  readonly body: string
  /** Only headers that CORS lets a page see. */
  readonly header: (name: string) => string | null | undefined
  /** Where the answer comes from, if that is not the URL of the request. */
  readonly redirect?: string | false | undefined
  /** The URL of the request, without its query. */
  readonly url?: string | undefined
}

/** The function that sends requests; `globalThis.fetch` fits. */
export type Fetch = (url: string, init?: RequestInit) => Promise<Response>

/** The error for a request that got no answer. */
export const networkError = (cause?: unknown): UploadError =>
  new UploadError({
    code: "NETWORK_ERROR",
    message: "The connection failed. Try again.",
    cause,
  })

/**
 * Sends a request and reads the whole answer.
 *
 * Fails: rejects with NETWORK_ERROR, or with the UploadError with which the body's stream broke off.
 */
export const fetchReply = async (fetch: Fetch, url: string, init: RequestInit): Promise<Reply> => {
  try {
    const response = await fetch(url, init)
    return {
      status: response.status,
      body: await response.text(),
      header: (name) => response.headers.get(name),
      // The query of a login page is private.
      redirect: response.redirected && response.url.split("?")[0],
      url: url.split("?")[0],
    }
  } catch (cause) {
    throw [cause, (cause as Error | undefined)?.cause].find(UploadError.is) ?? networkError(cause)
  }
}

/** ms from a number of seconds or a date. */
const toWait = (retryAfter: string | null | undefined): number | undefined => {
  const ms = +retryAfter! * 1000 || Date.parse(retryAfter ?? "") - Date.now()
  return ms > 0 ? ms : undefined
}

/**
 * The value in a successful answer, otherwise its error and when the server wants to be asked again.
 *
 * @param read returns undefined for a body of another form
 * @param at   who should have answered
 */
export const readReply = <A>(reply: Reply, read: (json: unknown) => A | undefined, at: Peer = "ingest"): Attempt<A> => {
  // It is not 2xx.
  if (2 ^ (reply.status / 100)) {
    const error = parseProblem(reply.status, reply.body, at, reply.url)
    // A redirect to a page that does not exist, or takes no POST, is reported as a redirect.
    const isLost = reply.redirect && error.code === "INVALID_CONFIG"
    if (!isLost) return { error, wait: toWait(reply.header("retry-after")) }
  }
  let said: unknown
  let value: A | undefined
  try {
    value = read((said = JSON.parse(reply.body)))
  } catch {
    // not JSON: a login page, say
  }
  return value === undefined
    ? {
        error: new UploadError({
          code: "INVALID_CONFIG",
          message: `The answer for the ${at}${reply.redirect ? ` (${reply.redirect})` : ""} does not fit the request. Check its URL and any proxy.`,
          cause: { at, said, url: reply.url, redirect: reply.redirect } satisfies ForeignAnswer,
        }),
      }
    : { value }
}
