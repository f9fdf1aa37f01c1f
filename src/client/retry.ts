import { problems } from "../protocol/problem.ts"
import { UploadError } from "../protocol/upload-error.ts"

/** When to try again after a network error, a 429 or a 5xx. Other refusals are final. */
export interface RetryOptions {
  /** Tries in a row that may fail without a byte of progress before the file counts as failed. Default 5; 1 never retries. */
  readonly attempts?: number | undefined
  /** Longest wait before the first retry, in ms; doubles with each, and is cut by a random part up to half. Default 500. */
  readonly delay?: number | undefined
  /** Longest wait in ms, default 30,000. A server whose `retry-after` asks for more is not asked again. */
  readonly maxDelay?: number | undefined
}

/** What one try gave. `wait`: ms until the next one, where the server said so; 0 is "at once, whatever the error". */
export type Attempt<A> = { readonly value: A } | { readonly error: UploadError; readonly wait?: number | undefined }

const sleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const wake = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", wake)
      resolve()
    }
    const timer = setTimeout(wake, ms)
    signal.addEventListener("abort", wake)
  })

/**
 * Tries until it succeeds, is refused for good, or has failed too often.
 *
 * Fails: rejects with the last try's error; with the signal's reason once that is aborted.
 *
 * @param attempt is given a function that forgets the failures so far: call it when there was progress
 */
export const retry = async <A>(
  attempt: (forget: () => void) => Promise<Attempt<A>>,
  { attempts = 5, delay = 500, maxDelay = 30_000 }: RetryOptions,
  signal: AbortSignal,
): Promise<A> => {
  let failures = 0
  for (;;) {
    const result = await attempt(() => {
      failures = 0
    }).catch((error: unknown): Attempt<A> => {
      if (UploadError.is(error)) return { error }
      throw error
    })
    if ("value" in result) return result.value
    const { error, wait } = result
    signal.throwIfAborted()
    const mayHelp = wait === 0 || problems[error.code].retryable
    if (!mayHelp || ++failures >= attempts || (wait ?? 0) > maxDelay) throw error
    const backoff = Math.min(delay * 2 ** (failures - 1), maxDelay) * (1 - Math.random() / 2)
    if (wait !== 0) await sleep(Math.max(wait ?? 0, backoff), signal)
    signal.throwIfAborted()
  }
}
