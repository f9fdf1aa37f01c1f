import { isRetryable, type ProblemCode } from "../protocol/errors/problem-code.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import type { Attempt } from "./attempt.ts"
import { networkError } from "./reply.ts"
import { untilAborted } from "./until-aborted.ts"

/**
 * When to retry after a network error, a 429 or a 5xx. Other refusals are final, and so is a failure of the app's own
 * code: it would run once more for every retry.
 */
export interface RetryOptions {
  /** Attempts in a row that may fail without a byte of progress before the file counts as failed. Default 5; 1 never retries. */
  readonly attempts?: number | undefined
  /**
   * Longest wait before the first retry, in ms; it doubles with each, and is shortened by a random part of up to half.
   * Default 500.
   */
  readonly delay?: number | undefined
  /** Longest wait in ms, default 30,000. A server whose `retry-after` asks for more is not asked again. */
  readonly maxDelay?: number | undefined
  /**
   * How long nothing may move until an attempt counts as failed, in ms: no byte goes out, no answer comes. Default 30,000. An
   * answer of your app may take twice as long, and that to the last byte of a file six times, since the ingest then asks
   * your app. `Infinity` waits for ever.
   */
  readonly timeout?: number | undefined
}

/** Why the next attempt is not made at once; `delay` in ms, absent where its end is not known. */
export interface RetryWait {
  readonly reason: "retry" | "offline"
  readonly delay?: number | undefined
  readonly error: UploadError
  /** Makes the next attempt at once. */
  readonly retryNow: () => void
}

/**
 * Every request for a stored file whose callback has failed runs the callback once more: users decide whether it is
 * worth that. Where the app was only unreachable, the ingest says when to ask again.
 */
const mayRepeat = (code: ProblemCode, wait: number): boolean =>
  isRetryable(code) && (code !== "CALLBACK_FAILED" || wait > 0)

/**
 * Retries until it succeeds, is refused for good, or has failed too often. Failures of a browser that is offline do
 * not count: it waits until it is online.
 *
 * Fails: rejects with the last attempt's error; with the signal's reason once that is aborted.
 *
 * @param attempt gets a function that sets the failures so far: call it with 0 when there was progress, with -1 where this
 *                attempt has made it and is about to end without a value, which then is no failure. Its signal aborts
 *                with NETWORK_ERROR when it has been silent for `timeout`; `touch` says that it is not, and how many times
 *                as long the next silence may last
 * @param onWait  called before each wait
 */
export const retry = async <A>(
  attempt: (
    forget: (failures: number) => unknown,
    signal: AbortSignal,
    touch: (times?: number) => void,
  ) => Promise<Attempt<A>>,
  { attempts = 5, delay = 500, maxDelay = 30_000, timeout = 30_000 }: RetryOptions,
  signal: AbortSignal,
  onWait?: (wait: RetryWait) => void,
): Promise<A> => {
  let failures = 0
  for (;;) {
    signal.throwIfAborted()
    const controller = new AbortController()
    const stop = () => controller.abort(signal.reason)
    signal.addEventListener("abort", stop)
    let timer: ReturnType<typeof setTimeout> | undefined
    const touch = (times = 1) => {
      clearTimeout(timer)
      // Browsers take a longer time for none at all.
      if (timeout * times < 2 ** 31) timer = setTimeout(() => controller.abort(networkError()), timeout * times)
    }
    touch()
    let result: Attempt<A>
    try {
      result = await untilAborted(
        controller.signal,
        attempt((left) => (failures = left), controller.signal, touch),
      )
    } catch (error) {
      if (!UploadError.is(error)) throw error
      result = { error }
    } finally {
      touch(Infinity)
      signal.removeEventListener("abort", stop)
    }
    if ("value" in result) return result.value
    const { error, wait = -1 } = result
    signal.throwIfAborted()
    const isNetwork = error.code === "NETWORK_ERROR"
    // React Native has a navigator without `onLine`.
    const navigator: Partial<Navigator> | undefined = globalThis.navigator
    let ms: number | undefined
    if (!isNetwork || navigator?.onLine !== false) {
      if (wait > maxDelay) error.message += ` Try again in ${Math.ceil(wait / 1000)} s.`
      if ((wait && !mayRepeat(error.code, wait)) || ++failures >= attempts || wait > maxDelay) throw error
      const backoff = Math.min(delay * 2 ** (failures - 1), maxDelay) * (1 - Math.random() / 2)
      ms = wait && Math.max(wait, backoff)
    }
    if (ms !== 0) {
      await new Promise<void>((resolve) => {
        const retryNow = () => {
          clearTimeout(timer)
          signal.removeEventListener("abort", retryNow)
          globalThis.removeEventListener?.("online", retryNow)
          resolve()
        }
        // Without a delay, only a restored connection ends it.
        const timer = ms === undefined ? undefined : setTimeout(retryNow, ms)
        signal.addEventListener("abort", retryNow)
        if (isNetwork) globalThis.addEventListener?.("online", retryNow)
        onWait?.({ reason: ms === undefined ? "offline" : "retry", delay: ms, error, retryNow })
      })
    }
  }
}
