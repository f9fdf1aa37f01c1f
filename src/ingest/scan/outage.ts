import type { Pauses } from "./postponed.ts"

/** A moment, before or after which a scanner has answered. */
export type Mark = number

/** Knows whether the scanner answers nobody, and for how long nobody is to ask it. */
export interface Outage {
  readonly isOn: () => boolean
  /** Whether it cannot even be reached. */
  readonly isAway: () => boolean
  /** The moment at which a scan begins. */
  readonly mark: () => Mark
  /** Whether the scanner has answered anybody since. */
  readonly hasAnswered: (since: Mark) => boolean
  /**
   * A scan that began at a moment got no answer. Scans that fail together count once: the next pause is twice as long only
   * where the scanner was asked after the last one. A scanner that can be reached is asked again after the shortest one: what it is
   * silent about may be some files alone, and others are not to wait for them.
   *
   * @returns whether there was no outage
   */
  readonly begin: (since: Mark, isAway: boolean) => boolean
  /** The scanner has answered. Returns whether there was an outage. */
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
  let away = false

  return {
    isOn: () => failures > 0,
    isAway: () => away,
    mark: () => news,
    hasAnswered: (since) => answeredAt > since,
    begin: (since, isAway) => {
      const wasOn = failures > 0
      if (wasOn && since < news) return false
      news++
      until = now() + (isAway ? Math.min(shortest * 2 ** failures, longest) : shortest)
      failures = isAway ? failures + 1 : 1
      away = isAway
      return !wasOn
    },
    end: () => {
      answeredAt = ++news
      const wasOn = failures > 0
      failures = until = 0
      away = false
      return wasOn
    },
    pause: () => Math.max(until - now(), 0),
  }
}
