/**
 * Does a work whenever it is asked for, one at a time: what is asked for during one is done once, after it. So a work that reads
 * sees what was true when it was asked for, and the last one to begin is the last one to end.
 *
 * @param work never rejects
 * @returns asks for it, and settles once a work has ended that began then or later
 */
export const oneAtATime = (work: () => Promise<void>): (() => Promise<void>) => {
  let running: Promise<void> | undefined
  let next: Promise<void> | undefined
  const run = (): Promise<void> => {
    next = undefined
    return (running = work().finally(() => (running = undefined)))
  }
  return () => (running === undefined ? run() : (next ??= running.then(run)))
}
