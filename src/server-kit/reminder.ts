/** How long the same text is not logged again, ms. */
const period = 60 * 60 * 1000

/** How many texts are told apart: some hold what a stranger chose. */
const most = 100

/** How often a text takes the place of one that is still remembered, where there are more: ms after the text before. */
const pause = 6000

/** What of a text tells it from others: the rest may be as long as a stranger wants. */
const longest = 300

/**
 * Makes the function that says whether to log a repeated text now: it returns how often the text was suppressed since
 * it was last logged, or undefined. Whoever makes up new texts all the time gets ten of them a minute logged, and nobody
 * else's are suppressed for longer than they go on.
 */
export const createReminder = (): ((text: string) => number | undefined) => {
  const known = new Map<string, { readonly at: number; missed: number }>()
  let saidAt = -Infinity
  return (whole) => {
    const text = whole.slice(0, longest)
    const now = performance.now()
    const last = known.get(text)
    if (last !== undefined && now - last.at < period) {
      last.missed++
      return undefined
    }
    known.delete(text)
    const [oldest] = known
    if (known.size >= most && oldest !== undefined) {
      if (now - oldest[1].at < period && now - saidAt < pause) return undefined
      known.delete(oldest[0])
    }
    known.set(text, { at: now, missed: 0 })
    saidAt = now
    return last?.missed ?? 0
  }
}
