/** Places that apps share, so that no app can take all of them. */
export interface Shares {
  /** How many more places an app may have now. @param most the most it may hold at all; unlimited by default */
  readonly roomOf: (appId: string, most?: number) => number
  /** An app takes this many places more, or fewer. */
  readonly add: (appId: string, count: number) => void
  /** Places that an app has. */
  readonly heldBy: (appId: string) => number
  /** Places taken by all apps. */
  readonly taken: () => number
}

/** How places are shared. */
export interface Sharing {
  /** All places. */
  readonly maximum: number
  /** Places reserved for apps that hold fewer than `few`. */
  readonly reserve: number
  /** How many places an app always gets, as long as there are any. */
  readonly few: number
  /**
   * How much of the places that others leave an app may hold, from 0 to 1, apart from the reserve. Below 1 something
   * is always left for the next app, and places that a large holder returns go to those that hold fewer.
   */
  readonly portion: number
  /** Whether there is only one app: it may have every place. */
  readonly isAlone?: () => boolean
}

/**
 * Shares places among apps by how many are left, without a queue and without taking any back: a single app may hold
 * `portion` of them, a second one as much of the rest, and so on. Where both keep asking, the one that holds more is
 * refused until the other has caught up.
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
    heldBy: (appId) => held.get(appId) ?? 0,
    taken: () => taken,
  }
}

/**
 * How to share places where one app may need most of them: it gets at most two thirds beside other apps, and all where
 * it is the only one. An eighth is reserved for apps that hold next to nothing.
 */
export const toWideSharing = (maximum: number, isAlone: () => boolean): Sharing => ({
  maximum,
  reserve: Math.floor(maximum / 8),
  few: Math.max(1, Math.floor(maximum / 256)),
  portion: 0.75,
  isAlone,
})
