import type { Pauses } from "./postponed.ts"

/** A moment, before or after which a scanner has answered. */
export type Mark = number

/** Knows whether the scanner is away, and for how long nobody is to ask it. */
export interface Outage {
  readonly isOn: () => boolean
  /** The moment at which a scan begins. */
  readonly mark: () => Mark
  /** Whether the scanner has answered anybody since. */
  readonly hasAnswered: (since: Mark) => boolean
  /**
   * A scan that began at a moment got no answer. Scans that fail together count once: the next pause is twice as long only
   * where the scanner was asked after the last one.
   *
   * @returns whether the scanner was not known to be away
   */
  readonly begin: (since: Mark) => boolean
  /** The scanner has answered. Returns whether it was away. */
  readonly end: () => boolean
  /** How long nobody is to ask it, ms. */
  readonly pause: () => number
}

/** Makes it; the scanner is taken to be there. */
export const createOutage = (now: () => number, { shortest, longest }: Pauses): Outage => {
  /** Rises whenever something becomes known of the scanner. */
  let news = 0
  let answeredAt = -1
  let failures = 0
  let until = 0

  return {
    isOn: () => failures > 0,
    mark: () => news,
    hasAnswered: (since) => answeredAt > since,
    begin: (since) => {
      if (failures > 0 && since < news) return false
      news++
      until = now() + Math.min(shortest * 2 ** failures, longest)
      return failures++ === 0
    },
    end: () => {
      answeredAt = ++news
      const wasOn = failures > 0
      failures = until = 0
      return wasOn
    },
    pause: () => Math.max(until - now(), 0),
  }
}
