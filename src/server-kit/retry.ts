import * as Effect from "effect/Effect"

/** Waits. Effect's own sleep would add its parser of durations: 2 kB gzip in every app's server bundle. */
export const pause = (ms: number): Effect.Effect<void> =>
  Effect.callback((resume) => {
    const timer = setTimeout(() => resume(Effect.void), ms)
    return Effect.sync(() => clearTimeout(timer))
  })

/** A delay and up to half of it more, so that those who failed together do not retry together. */
export const jitter = (ms: number): number => ms * (1 + Math.random() / 2)

/**
 * Retries while the failure says that it may help: after each of the delays, in ms, jittered.
 *
 * Fails: with the last failure.
 */
export const retry = <A, E extends { readonly isRetryable: boolean }, R>(
  effect: Effect.Effect<A, E, R>,
  [delay, ...others]: ReadonlyArray<number>,
): Effect.Effect<A, E, R> =>
  delay === undefined
    ? effect
    : Effect.catch(effect, (failure) =>
        failure.isRetryable ? Effect.andThen(pause(jitter(delay)), retry(effect, others)) : Effect.fail(failure),
      )
