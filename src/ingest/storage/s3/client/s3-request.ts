import type { FetchLike } from "../../../../http/fetch-transport.ts"
import { createTransport } from "../../../../http/own-transport.ts"
import { readWhole } from "../../../../http/read-answer.ts"
import type { HttpAnswer } from "../../../../http/transport.ts"
import { toBucketAddress, toSearch } from "./address.ts"
import { type Answered, mayBeError, parseAnswer } from "./answer-xml.ts"
import { createCredentialsMemory } from "./credentials.ts"
import { toExactBody } from "./exact-body.ts"
import { followSignals, unlessAborted } from "./follow-signals.ts"
import { readFailure, toAnsweredError, toConnectionError, toStrangeAnswer } from "./judge-failure.ts"
import { S3Error } from "./s3-error.ts"
import type { S3Credentials, S3Settings } from "./s3-settings.ts"
import { emptySha256, hashPieces } from "./sha256.ts"
import { createS3Signer, type Unsigned } from "./signer.ts"
import { createWatch, type Watch } from "./watch.ts"

/** What tests change. */
export interface S3Tuning {
  readonly fetch?: FetchLike | undefined
  readonly now?: (() => number) | undefined
  /** Ends all that has no signal of its own. */
  readonly signal?: AbortSignal | undefined
  /** Before the first repetition, ms, at most; each further one is four times as long. Default 200. */
  readonly firstWait?: number | undefined
  /** How long nothing may move, ms: for a request with a large body or answer 60 s, for others 20 s. */
  readonly patience?: { readonly small: number; readonly large: number } | undefined
}

/** A request of one operation. */
export interface S3Request extends Unsigned {
  /** By the name that S3 gives it. */
  readonly operation: string
  readonly body?: ReadonlyArray<Uint8Array> | undefined
  /** Of the body, where the caller has it: 64 lower-case hex digits. */
  readonly sha256?: string | undefined
  readonly signal?: AbortSignal | undefined
  /** The caller has to know of every try that may have arrived. */
  readonly isSentOnce?: boolean | undefined
  /** What a body that was opened fails with where it does not come to its end: by default with the {@link S3Error}. */
  readonly toBodyError?: ((failure: unknown) => unknown) | undefined
  /** The server may take its time, or much is sent. */
  readonly isLarge?: boolean | undefined
  /** Somebody waits for the answer: all tries together last as long as one may, until it begins. */
  readonly isAwaited?: boolean | undefined
}

/** An answer whose body was read. */
export interface S3Answer {
  readonly status: number
  readonly header: (name: string) => string | undefined
  /** Whether its body has nothing but white space. */
  readonly isEmpty: boolean
  /** Its root. Fails: throws for what is no XML, and for an `<Error>` with the status of a success. */
  readonly root: () => Answered
}

/** Sends requests to one bucket, signed, and again where that may help. */
export interface S3Requests {
  readonly send: (request: S3Request) => Promise<S3Answer>
  /** `body` has exactly the bytes that were announced. */
  readonly open: (
    request: S3Request,
  ) => Promise<{ readonly answer: S3Answer; readonly body: ReadableStream<Uint8Array> }>
  readonly presign: (request: Unsigned, expiresIn: number, at: number | undefined) => Promise<string>
  /** When the credentials that sign now end, ms since the epoch. */
  readonly credentialsEnd: () => Promise<number>
  /** Gives up all requests that are under way, and those that come. */
  readonly close: () => void
}

const tries = 4

/** Most that is waited because a server asks for it, ms. */
const longestWait = 10_000

/** Largest answer that is read, bytes: a list of 1,000 names of 1,024 bytes has 1.3 MB. To parse it takes the whole process. */
const largestAnswer = 2 * 1024 * 1024

/** How many times its patience a request may last that always moves a little, and the bytes a second that go out at least. */
const patiences = { small: 3, large: 10 }
const slowestBody = 16 * 1024

/** Beyond this a server refuses a request for the time that it was signed at, ms: S3 allows 15 minutes. */
const smallestSkew = 5 * 60_000

/** Beyond this the clock of a server is followed that refuses nothing, ms. */
const noticedSkew = 30_000

/** Waits, but no longer than until a signal is aborted. */
const wait = (time: number, signals: ReadonlyArray<AbortSignal>): Promise<void> =>
  new Promise((resolve, reject) => {
    const timer = setTimeout(() => {
      unfollow()
      resolve()
    }, time)
    const unfollow = followSignals(signals, (reason) => {
      clearTimeout(timer)
      reject(reason)
    })
  })

/** The wait that an answer asks for, ms. Seconds, or a date that only the server's clock understands. */
const toRetryAfter = (value: string | null | undefined): number => {
  const seconds = Number(value ?? 0)
  return Number.isFinite(seconds) ? Math.min(Math.max(seconds, 0) * 1000, longestWait) : 0
}

/**
 * Sends requests to a bucket.
 *
 * A request is repeated after a broken connection, 429, 500, 502, 503, 504, `SlowDown`, `RequestTimeout` and their like: 4
 * tries, with waits that grow and are spread by chance. Where the server refuses our clock, its `Date` corrects it, once for each
 * request; where it refuses credentials of a function as ended, the function is asked again, once. These count as no try.
 *
 * Fails: rejects with an {@link S3Error}, with the reason of the caller's signal, or because it was closed.
 */
export const createS3Requests = (settings: S3Settings, tuning: S3Tuning = {}): S3Requests => {
  const { now = Date.now, firstWait = 200, patience = { small: 20_000, large: 60_000 } } = tuning
  const address = toBucketAddress(settings)
  const signer = createS3Signer(address, settings.region)
  const credentials = createCredentialsMemory(settings.credentials, now)
  const transport = createTransport(tuning.fetch, Infinity)
  /** How much the server's clock is ahead of ours, ms. */
  let skew = 0
  const closing = new AbortController()

  /** What ends a request, beside its time. */
  const signalsOf = (request: S3Request): ReadonlyArray<AbortSignal> =>
    [request.signal ?? tuning.signal, closing.signal].filter((signal) => signal !== undefined)

  const toUrl = (key: string | undefined, query: Readonly<Record<string, string>>): string =>
    address.origin + address.toPath(key) + toSearch(query)

  /** Follows the clock of a server that refused ours. */
  const followClock = (failure: S3Error, answer: HttpAnswer, at: number): boolean => {
    const theirs = Date.parse(answer.headers.get("date") ?? "")
    // The refusal of a HEAD has no code.
    const isMeant = failure.code === "RequestTimeTooSkewed" || failure.code === "Forbidden"
    if (failure.status !== 403 || !isMeant || !(Math.abs(theirs - at) > smallestSkew)) return false
    skew += theirs - at
    return true
  }

  /**
   * Follows the clock of a server that is a little off ours and refuses nothing: what is signed for others begins and ends by
   * that clock. By less than half a minute it is left alone, so that the same URL stays the same.
   */
  const compareClocks = (answer: HttpAnswer): void => {
    const off = Date.parse(answer.headers.get("date") ?? "") - (now() + skew)
    if (Math.abs(off) > noticedSkew) skew += off
  }

  const run = async <A>(
    request: S3Request,
    take: (answer: HttpAnswer, watch: Watch, keys: S3Credentials) => Promise<A> | A,
    isContent = false,
  ): Promise<A> => {
    const { operation, method, key, query = {}, body, isSentOnce } = request
    const signals = signalsOf(request)
    const throwIfAborted = () => signals.forEach((signal) => signal.throwIfAborted())
    const payload = request.sha256 ?? (body === undefined ? emptySha256 : await hashPieces(body))
    const url = toUrl(key, query)
    const isLarge = request.isLarge ?? false
    const calm = isLarge ? patience.large : patience.small
    const length = body?.reduce((sum, piece) => sum + piece.length, 0) ?? 0
    const atMost = calm * (isLarge ? patiences.large : patiences.small) + (length / slowestBody) * 1000
    const until = request.isAwaited ? performance.now() + calm : Infinity
    let isUnclear = false
    let isClockFollowed = false
    let isRenewed = false
    for (let count = 1; ; count++) {
      throwIfAborted()
      const keys = await unlessAborted(credentials.get(), signals)
      // A dead connection leaves time for another one.
      const share = request.isAwaited ? (count === 1 ? calm / 3 : until - performance.now()) : calm
      const watch = createWatch(Math.max(share, 1), signals, isContent ? Infinity : atMost)
      let failure: S3Error
      let retryAfter = 0
      try {
        const at = now() + skew
        const headers = await signer.sign(request, payload, keys, at)
        const sent = { url, method, headers, body, isSentOnce, onProgress: watch.touch, signal: watch.signal }
        const answer = await transport.send(sent)
        // What has begun may pause as long as any answer.
        watch.wait(calm)
        if (answer.status >= 200 && answer.status < 300) {
          compareClocks(answer)
          return await take(answer, watch, keys)
        }
        failure = await readFailure(operation, answer, keys)
        watch.end()
        retryAfter = toRetryAfter(answer.headers.get("retry-after"))
        const isFollowed: boolean = !isClockFollowed && followClock(failure, answer, at)
        const isNew: boolean = !isRenewed && credentials.forget(failure.code, keys)
        isClockFollowed ||= isFollowed
        isRenewed ||= isNew
        if (isFollowed || isNew) {
          count--
          continue
        }
      } catch (cause) {
        watch.end()
        throwIfAborted()
        failure = cause instanceof S3Error ? cause : toConnectionError(operation, cause, watch.isLate())
      }
      isUnclear ||= failure.isOutcomeUnknown
      const longest = firstWait * 4 ** (count - 1)
      const pause = Math.max(longest * (0.5 + Math.random() / 2), retryAfter)
      const isLast = count === tries || performance.now() + pause >= until
      if (!failure.isRetryable || isLast) throw Object.assign(failure, { isOutcomeUnknown: isUnclear })
      await wait(pause, signals)
    }
  }

  const toAnswer = (operation: string, answer: HttpAnswer, text: string, keys: S3Credentials): S3Answer => ({
    status: answer.status,
    header: (name) => answer.headers.get(name) ?? undefined,
    isEmpty: text.trim() === "",
    root: () => {
      const root = parseAnswer(text)
      if (root === undefined) throw toStrangeAnswer(operation, answer.status, "it is no XML")
      if (root.name === "Error") throw toAnsweredError(operation, answer, text, keys)
      return root
    },
  })

  return {
    send: (request) =>
      run(request, async (answer, watch, keys) => {
        const read = answer.read
        const watched = (take: (piece: Uint8Array) => boolean) =>
          read((piece) => {
            watch.touch()
            return take(piece)
          })
        const text = await readWhole({ ...answer, read: watched }, largestAnswer)
        watch.end()
        const known = toAnswer(request.operation, answer, text, keys)
        // A success may turn out to be none, and be worth another try.
        if (mayBeError(text)) known.root()
        return known
      }),
    open: (request) => {
      const take = (answer: HttpAnswer, watch: Watch, keys: S3Credentials) => {
        const { operation } = request
        const length = Number(answer.headers.get("content-length") ?? Number.NaN)
        if (!Number.isSafeInteger(length)) {
          answer.giveUp()
          throw toStrangeAnswer(operation, answer.status, "it has no content-length")
        }
        watch.rest()
        const { toBodyError = (failure) => failure } = request
        const toError = (cause: unknown): unknown => {
          const ended = signalsOf(request).find(({ aborted }) => aborted)
          return toBodyError(ended === undefined ? toConnectionError(operation, cause, watch.isLate()) : ended.reason)
        }
        return {
          answer: toAnswer(operation, answer, "", keys),
          body: toExactBody(answer.stream(), length, watch, patience.large, toError),
        }
      }
      return run(request, take, true)
    },
    presign: async (request, expiresIn, at = now()) => {
      const query = await signer.presign(request, expiresIn, await credentials.get(), at + skew)
      return toUrl(request.key, query)
    },
    credentialsEnd: async () => (await credentials.get()).expiresAt ?? Infinity,
    close: () => {
      closing.abort(new Error("The client of the bucket was closed."))
      transport.close()
    },
  }
}
