import { isRetryable, type ProblemCode } from "../protocol/errors/problem-code.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"

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
}

/** The result of one attempt. `wait`: ms until the next one, where the server said so; 0 means "at once, whatever the error". */
export type Attempt<A> = { readonly value: A } | { readonly error: UploadError; readonly wait?: number | undefined }

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
 *                attempt has made it and is about to end without a value, which then is no failure
 * @param onWait  called before each wait
 */
export const retry = async <A>(
  attempt: (forget: (failures: number) => void) => Promise<Attempt<A>>,
  { attempts = 5, delay = 500, maxDelay = 30_000 }: RetryOptions,
  signal: AbortSignal,
  onWait?: (wait: RetryWait) => void,
): Promise<A> => {
  let failures = 0
  for (;;) {
    const result = await attempt((left) => {
      failures = left
    }).catch((error: unknown): Attempt<A> => {
      if (UploadError.is(error)) return { error }
      throw error
    })
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
    signal.throwIfAborted()
  }
}
