/**
 * What work results in, or fails with, unless the signal is aborted before: not all that is waited for listens to one.
 *
 * Fails: with the signal's reason once it is aborted.
 */
export const untilAborted = <A>(signal: AbortSignal, work: Promise<A>): Promise<A> =>
  Promise.race([work, new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)))])
