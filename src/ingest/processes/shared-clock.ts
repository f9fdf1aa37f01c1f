/** The clock that all processes on one catalog go by. */
export interface SharedClock {
  /** ms since the epoch. */
  readonly now: () => number
  /**
   * Takes over what the catalog said between two moments of `performance.now()`. Between two looks it goes on by itself: what
   * becomes of the clock of the machine does not matter.
   */
  readonly correct: (said: number, sentAt: number, heardAt: number) => void
}

/** Begins with the clock of this machine. */
export const createSharedClock = (): SharedClock => {
  let zero = Date.now() - performance.now()
  return {
    now: () => Math.floor(zero + performance.now()),
    // As little as possible: all that is known is that it was said in between.
    correct: (said, sentAt, heardAt) => {
      zero = Math.min(Math.max(zero, said - heardAt), said + 1 - sentAt)
    },
  }
}
