/** How far the clock may move against the steady one between two looks, ms: what slews it is slower. */
const tolerance = 5 * 60_000

/** How long a clock that has jumped has to be steady before it is believed, ms. */
const trial = 60 * 60_000

/** What a look at a clock finds. */
export type ClockState =
  | "steady"
  /** It has jumped since it was last believed, which was not told yet. */
  | "jumped"
  /** It has jumped, and must be steady for a while. */
  | "doubtful"

/** Watches a clock: one that is wrong for a moment must not make anybody forget what is still needed. */
export interface ClockWatch {
  readonly look: () => ClockState
  /** How far it moved at its last jump, ms; negative: back. */
  readonly jump: () => number
}

/**
 * Believes the clock as it is at the first look. A machine that was asleep, whose steady clock stands still meanwhile, looks as if
 * its clock had jumped: that costs an hour.
 *
 * @param now       ms since the epoch
 * @param steadyNow ms, of a clock that only goes forward
 */
export const createClockWatch = (now: () => number, steadyNow = () => performance.now()): ClockWatch => {
  let offset: number | undefined
  let jumpedAt = -Infinity
  let jump = 0
  let isTold = true
  return {
    look: () => {
      const at = steadyNow()
      const moved = now() - at - (offset ?? now() - at)
      offset = now() - at
      if (Math.abs(moved) > tolerance) {
        // It is told once, however often it jumps until it is believed again.
        isTold &&= at - jumpedAt < trial
        jumpedAt = at
        jump = moved
      }
      if (at - jumpedAt >= trial) return "steady"
      if (isTold) return "doubtful"
      isTold = true
      return "jumped"
    },
    jump: () => jump,
  }
}
