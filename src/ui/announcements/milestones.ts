/** Percent; and the least time between two of them, ms. */
const steps = { percent: 25, interval: 30_000 }

/**
 * Decides when progress is announced: at 25, 50 and 75 percent, and at most every 30 s.
 *
 * @returns for a progress in whole percent, and the time in ms: whether to announce it now. A step that comes too
 *              early is announced later.
 */
export const createMilestones = (): ((percent: number, now: number) => boolean) => {
  let told = 0
  let toldAt = Number.NEGATIVE_INFINITY
  return (percent, now) => {
    const step = Math.floor(percent / steps.percent)
    // Less than before means that another upload has begun.
    if (percent < told * steps.percent) told = step
    if (percent >= 100 || step <= told || now - toldAt < steps.interval) return false
    told = step
    toldAt = now
    return true
  }
}
