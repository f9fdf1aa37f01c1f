/** Percent; and ms that lie between two of them, however fast they come. */
const steps = { percent: 25, interval: 30_000 }

/**
 * Tells when progress is worth a word: at 25, 50 and 75 percent, and at most every 30 s.
 *
 * @returns for a progress in whole percent, and the time in ms: whether to say it now. A step that comes too early is
 * made up for when its time has come.
 */
export const createMilestones = (): ((percent: number, now: number) => boolean) => {
  let told = 0
  let toldAt = Number.NEGATIVE_INFINITY
  return (percent, now) => {
    const step = Math.floor(percent / steps.percent)
    // Less than before: another upload has begun.
    if (percent < told * steps.percent) told = step
    if (percent >= 100 || step <= told || now - toldAt < steps.interval) return false
    told = step
    toldAt = now
    return true
  }
}
