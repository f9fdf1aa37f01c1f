/**
 * Calls `end` with the reason of the first of some signals that is aborted, at once where one is already. Unlike
 * `AbortSignal.any` it leaves nothing on a signal that outlives its requests.
 *
 * @returns ends the listening
 */
export const followSignals = (signals: ReadonlyArray<AbortSignal>, end: (reason: unknown) => void): (() => void) => {
  const aborted = signals.find((signal) => signal.aborted)
  if (aborted !== undefined) {
    end(aborted.reason)
    return () => {}
  }
  const undo: Array<() => void> = []
  const stop = () => undo.forEach((each) => each())
  for (const signal of signals) {
    const follow = () => {
      stop()
      end(signal.reason)
    }
    signal.addEventListener("abort", follow)
    undo.push(() => signal.removeEventListener("abort", follow))
  }
  return stop
}

/** What some work comes to, or the reason of the first signal that is aborted before: the work itself goes on. */
export const unlessAborted = <A>(work: Promise<A>, signals: ReadonlyArray<AbortSignal>): Promise<A> =>
  new Promise((resolve, reject) => {
    const stop = followSignals(signals, reject)
    work.then(resolve, reject).finally(stop)
  })
