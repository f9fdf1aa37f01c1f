/**
 * What work results in, or fails with, unless the signal is aborted before: not all that is waited for listens to one. The work may
 * have aborted it itself.
 *
 * Fails: with the signal's reason once it is aborted.
 */
export const untilAborted = <A>(signal: AbortSignal, work: Promise<A>): Promise<A> =>
  Promise.race([
    work,
    new Promise<never>((_, reject) => {
      const end = () => signal.aborted && reject(signal.reason)
      signal.addEventListener("abort", end)
      end()
    }),
  ])
