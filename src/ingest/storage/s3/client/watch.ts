import { followSignals } from "./follow-signals.ts"

/** Ends a request for which nothing has moved for a while, that lasts too long, or that somebody gave up. */
export interface Watch {
  readonly signal: AbortSignal
  /** Something moved. */
  readonly touch: () => void
  /** Something moved, and from now on nothing may move for so many ms. */
  readonly wait: (patience: number) => void
  /** Nobody waits for the other side: it may take its time. */
  readonly rest: () => void
  /** The request is over. */
  readonly end: () => void
  /** Gives the request up as one that takes too long. */
  readonly giveUp: (why: string) => void
  /** Whether the time ran out. */
  readonly isLate: () => boolean
}

/**
 * @param first    how long nothing may move at first, ms
 * @param signals end the request too
 * @param atMost how long all of it may take, ms
 */
export const createWatch = (first: number, signals: ReadonlyArray<AbortSignal>, atMost = Infinity): Watch => {
  const controller = new AbortController()
  let patience = first
  let isLate = false
  let isOver = false
  let timer: ReturnType<typeof setTimeout> | undefined
  let end: ReturnType<typeof setTimeout> | undefined
  const rest = () => clearTimeout(timer)
  const giveUp = (why: string): void => {
    isLate = true
    controller.abort(new Error(why))
  }
  const touch = (): void => {
    rest()
    // What is sent may move on after the answer.
    if (isOver) return
    timer = setTimeout(() => giveUp(`nothing moved for ${patience / 1000} s`), patience)
  }
  const unfollow = followSignals(signals, (reason) => controller.abort(reason))
  if (atMost < Infinity) end = setTimeout(() => giveUp(`it was not over after ${atMost / 1000} s`), atMost)
  touch()
  return {
    signal: controller.signal,
    touch,
    wait: (ms) => {
      patience = ms
      touch()
    },
    rest,
    end: () => {
      isOver = true
      rest()
      clearTimeout(end)
      unfollow()
    },
    giveUp,
    isLate: () => isLate,
  }
}
