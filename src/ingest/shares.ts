/** Places that apps share, so that none can take them all. */
export interface Shares {
  /** How many more places an app may have now. @param most the most it may hold at all; any number unless given */
  readonly roomOf: (appId: string, most?: number) => number
  /** An app has so many places more, or less. */
  readonly add: (appId: string, count: number) => void
  /** Places taken by all apps. */
  readonly taken: () => number
}

/** How places are shared. */
export interface Sharing {
  /** All places. */
  readonly maximum: number
  /** Places that only apps get which hold less than `few`. */
  readonly reserve: number
  /** What an app always gets, as long as there is a place. */
  readonly few: number
  /**
   * How much of the other places an app may hold of those that the others leave, from 0 to 1. Below 1 something is always
   * left for the next app, and what an app that holds too much gives back goes to those that hold less.
   */
  readonly portion: number
  /** Whether there is but one app: it may have every place. */
  readonly isAlone?: () => boolean
}

/**
 * Shares places among apps by what is left of them, without a queue and without taking anything back: an app alone
 * may hold `portion` of them, a second one as much of the rest, and so on. Where both go on asking, those that hold more
 * are refused until those that hold less have caught up.
 */
export const createShares = ({ maximum, reserve, few, portion, isAlone = () => false }: Sharing): Shares => {
  const held = new Map<string, number>()
  let taken = 0
  return {
    roomOf: (appId, most = maximum) => {
      const own = held.get(appId) ?? 0
      const free = maximum - taken
      const open = isAlone() ? free : Math.floor((own + free - reserve) * portion) - own
      return Math.max(0, Math.min(most - own, Math.max(few - own, open), free))
    },
    add: (appId, count) => {
      const own = (held.get(appId) ?? 0) + count
      if (own > 0) held.set(appId, own)
      else held.delete(appId)
      taken += count
    },
    taken: () => taken,
  }
}

/**
 * How places are shared that one app may need most of: two thirds of them at most beside other apps, all where it is the
 * only one. An eighth is kept for apps that hold next to nothing.
 */
export const toWideSharing = (maximum: number, isAlone: () => boolean): Sharing => ({
  maximum,
  reserve: Math.floor(maximum / 8),
  few: Math.max(1, Math.floor(maximum / 256)),
  portion: 0.75,
  isAlone,
})
