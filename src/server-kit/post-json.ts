import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import { readStart } from "../http/read-answer.ts"
import type { HttpAnswer, Send } from "../http/transport.ts"

/** What an error says; `fetch` hides it in the cause, and a host with several addresses has one for each. */
const toWords = (thrown: unknown): string | undefined => {
  const error = thrown as { cause?: unknown; errors?: ReadonlyArray<unknown>; message?: string } | null | undefined
  if (error === null || error === undefined) return undefined
  return toWords(error.cause) || toWords(error.errors?.[0]) || error.message
}

/** A request of ours did not get a good answer. */
export class PostFailed extends Data.TaggedError("PostFailed")<{
  /**
   * `network`: no answer; `timeout`: none in time; `status`: an answer that is not 2xx; `answer`: one that cannot be
   * used; `forbidden`: it was not sent.
   */
  readonly reason: "network" | "timeout" | "status" | "answer" | "forbidden"
  readonly status?: number
  readonly headers?: HttpAnswer["headers"]
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
    if (this.reason === "answer") {
      return `The answer was ${this.status}, but it cannot be used: ${toWords(this.cause)}`
    }
    if (this.status !== undefined) {
      const to = this.location === undefined ? "" : ` to ${this.location}`
      return `The answer was ${this.status}${to}${this.body ? `: ${this.body}` : "."}`
    }
    const words = toWords(this.cause)
    if (this.reason === "forbidden") return `It was not sent: ${words}.`
    return this.reason === "timeout"
      ? "There was no answer in time."
      : `There was no answer: ${words || "the connection failed"}.`
  }
}

/** A POST whose body is already JSON text. */
export interface Post<Answer extends HttpAnswer = HttpAnswer> {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
  /** ms until the answer must have arrived, as far as it is read. What was read of a body until then counts. */
  readonly timeout: number
  readonly send: Send<Answer>
  /** Reads the body of an answer, within about `patience` ms; by default the start of it is read, for people. */
  readonly read?: ((answer: HttpAnswer, patience: number) => Promise<string>) | undefined
}

/** A good answer. */
export interface PostAnswer extends Pick<HttpAnswer, "status" | "headers"> {
  readonly body: string
}

/** How long the body of a good answer may take, of which the caller has no opinion, ms. */
const answerPatience = 1000

const toLocation = ({ status, headers }: HttpAnswer, base: string): string | undefined => {
  const location = headers.get("location")
  if (status < 300 || status > 399 || location === null || !URL.canParse(location, base)) return undefined
  const { origin, pathname } = new URL(location, base)
  return origin === new URL(base).origin ? pathname : origin + pathname
}

const toFailure = (cause: unknown): PostFailed => {
  if (cause instanceof PostFailed) return cause
  const isTimeout = cause instanceof Error && cause.name === "TimeoutError"
  return new PostFailed({ reason: isTimeout ? "timeout" : "network", cause })
}

/** Sends, and takes a good answer. Redirects are not followed: the headers may hold an API key. */
const attempt = <Answer extends HttpAnswer, A>(
  { url, headers, body, timeout, send, read = readStart }: Post<Answer>,
  take: (answer: Answer, read: NonNullable<Post["read"]>) => Promise<A>,
): Effect.Effect<A, PostFailed> =>
  Effect.callback((resume) => {
    const controller = new AbortController()
    const { signal } = controller
    const timer = setTimeout(() => controller.abort(new DOMException("timeout", "TimeoutError")), timeout)
    const run = async (): Promise<A> => {
      const sent = { "content-type": "application/json", ...headers }
      const answer = await send({ url, method: "POST", headers: sent, body, signal })
      if (answer.status >= 200 && answer.status < 300) return take(answer, read)
      throw new PostFailed({
        reason: "status",
        status: answer.status,
        headers: answer.headers,
        location: toLocation(answer, url),
        body: await read(answer, timeout),
      })
    }
    void run()
      .then(Effect.succeed, (cause: unknown) => Effect.fail(toFailure(cause)))
      .then((outcome) => {
        clearTimeout(timer)
        resume(outcome)
      })
    return Effect.sync(() => {
      clearTimeout(timer)
      controller.abort()
    })
  })

/** Sends JSON; succeeds with a 2xx answer. */
export const postJson = (post: Post): Effect.Effect<PostAnswer, PostFailed> =>
  attempt(post, async (answer, read) => {
    const { status, headers } = answer
    return { status, headers, body: await read(answer, answerPatience) }
  })

/** The same for an answer that goes on after it was begun: only its head has to arrive in time. */
export const openPost = <Answer extends HttpAnswer>(post: Post<Answer>): Effect.Effect<Answer, PostFailed> =>
  attempt(post, async (answer) => answer)
