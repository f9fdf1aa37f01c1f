/** How long the same text is not logged again, ms. */
const period = 60 * 60 * 1000

/** How many texts are told apart: some hold what a stranger chose. */
const most = 100

/**
 * Makes the function that says whether to log a repeated text now: it returns how often the text was suppressed since
 * it was last logged, or undefined.
 */
export const createReminder = (): ((text: string) => number | undefined) => {
  const known = new Map<string, { readonly at: number; missed: number }>()
  return (text) => {
    const now = Date.now()
    const last = known.get(text)
    if (last !== undefined && now - last.at < period) {
      last.missed++
      return undefined
    }
    known.delete(text)
    const [oldest] = known
    if (known.size >= most && oldest !== undefined) {
      if (now - oldest[1].at < period) return undefined
      known.delete(oldest[0])
    }
    known.set(text, { at: now, missed: 0 })
    return last?.missed ?? 0
  }
}
