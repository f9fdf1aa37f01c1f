import * as Data from "effect/Data"
import * as Effect from "effect/Effect"

/** A request of ours did not get a good answer. */
export class PostFailed extends Data.TaggedError("PostFailed")<{
  /**
   * `network`: no answer; `timeout`: none in time; `status`: an answer that is not 2xx; `answer`: one that cannot be
   * used; `forbidden`: it was not sent.
   */
  readonly reason: "network" | "timeout" | "status" | "answer" | "forbidden"
  readonly status?: number
  readonly headers?: Headers
  /** The start of the answer, as {@link readStart} returns it, or what the caller has read of it. */
  readonly body?: string
  /** Where a redirect leads, without its query, which may hold anything. */
  readonly location?: string | undefined
  /** What the receiver's own code failed with, where the receiver proves that it says so. */
  readonly reported?: string
  readonly cause?: unknown
}> {
  /** Whether the same request may succeed later: not if the answer says that the request itself is wrong. */
  get isRetryable(): boolean {
    const { status } = this
    return status === undefined || (status >= 500 && status !== 507) || status === 429 || status === 408
  }
  override get message(): string {
    if (this.reason === "answer")
      return `The answer was ${this.status}, but it cannot be used: ${(this.cause as Error).message}`
    if (this.status !== undefined) {
      const to = this.location === undefined ? "" : ` to ${this.location}`
      return `The answer was ${this.status}${to}${this.body ? `: ${this.body}` : "."}`
    }
    const cause = this.cause as { cause?: { message?: string }; message?: string } | undefined
    if (this.reason === "forbidden") return `It was not sent: ${cause?.message}.`
    return this.reason === "timeout"
      ? "There was no answer in time."
      : `There was no answer: ${cause?.cause?.message ?? cause?.message ?? "the connection failed"}.`
  }
}

/** A POST whose body is already JSON text. */
export interface Post {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** ms until the answer's headers must have arrived. */
  readonly timeout: number
  readonly fetch: typeof globalThis.fetch
  /** Reads an answer that is not 2xx; by default its start. */
  readonly read?: (response: Response, patience: number) => Promise<string>
}

/** How much of an answer is kept, characters. */
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
export const readText = async (response: Response, patience: number, most: number): Promise<string> => {
  const reader = response.body?.getReader()
  if (reader === undefined) return ""
  const cancel = () => void reader.cancel().catch(() => {})
  const timer = setTimeout(cancel, patience)
  const decoder = new TextDecoder()
  let text = ""
  try {
    for (let read = await reader.read(); !read.done; read = await reader.read()) {
      text += decoder.decode(read.value, { stream: true })
      if (text.length > most) break
    }
  } catch {
    // broken off: what came before is all there is
  }
  clearTimeout(timer)
  cancel()
  return text
}

/** The first 512 characters of an answer, or some words of an HTML page, as far as they arrive within `patience` ms. */
export const readStart = async (response: Response, patience: number): Promise<string> => {
  const start = (await readText(response, patience, startLength)).slice(0, startLength)
  return /^\s*</.test(start) ? toWords(start) : start
}

const toLocation = ({ status, headers }: Response, base: string): string | undefined => {
  const location = headers.get("location")
  if (status < 300 || status > 399 || location === null || !URL.canParse(location, base)) return undefined
  const { origin, pathname } = new URL(location, base)
  return origin === new URL(base).origin ? pathname : origin + pathname
}

/** Reads an answer's small body to its end and drops it: only then can the connection be reused for the next request. */
export const discardBody = (response: Response): void => {
  response.arrayBuffer().catch(() => {})
}

/**
 * Sends JSON; succeeds with a 2xx answer, whose body the caller has to read or discard.
 *
 * Redirects are not followed: the headers may hold an API key.
 */
export const postJson = (post: Post): Effect.Effect<Response, PostFailed> =>
  Effect.tryPromise({
    try: async (signal) => {
      const timer = new AbortController()
      const timeout = setTimeout(() => timer.abort(new DOMException("timeout", "TimeoutError")), post.timeout)
      try {
        const response = await post.fetch(post.url, {
          method: "POST",
          headers: { "content-type": "application/json", ...post.headers },
          body: post.body,
          redirect: "manual",
          signal: AbortSignal.any([signal, timer.signal]),
        })
        if (response.ok) return response
        throw new PostFailed({
          reason: "status",
          status: response.status,
          location: toLocation(response, post.url),
          headers: response.headers,
          body: await (post.read ?? readStart)(response, post.timeout),
        })
      } finally {
        clearTimeout(timeout)
      }
    },
    catch: (cause) => {
      if (cause instanceof PostFailed) return cause
      const isTimeout = cause instanceof Error && cause.name === "TimeoutError"
      return new PostFailed({ reason: isTimeout ? "timeout" : "network", cause })
    },
  })
