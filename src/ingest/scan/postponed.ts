import type { Shares } from "../shares.ts"

/** A file that is postponed. */
interface Waiting {
  readonly id: number
  readonly appId: string
}

/** Files that are tried again later. */
export interface Postponed {
  /** Ids of those whose time has not come. */
  readonly list: () => ReadonlyArray<number>
  /** Ids of all that are remembered, those included whose time has come. */
  readonly listAll: () => ReadonlyArray<number>
  /** Whether a file is remembered. */
  readonly has: (id: number) => boolean
  /** When the next one may be tried, ms of the clock that it goes by; undefined: there is none. */
  readonly nextAt: () => number | undefined
  /**
   * Postpones a file: each time twice as long, up to a limit.
   *
   * @param isLonger whether this one counts towards the next pause
   * @returns whether it is the first time, as far as is remembered
   */
  readonly add: (file: Waiting, isLonger: boolean) => boolean
  readonly forget: (id: number) => void
  /** Whether no further file of an app can be remembered. */
  readonly isFull: (appId: string) => boolean
}

/** Pauses of {@link createPostponed}, ms. */
export interface Pauses {
  readonly shortest: number
  readonly longest: number
}

/**
 * Makes a memory of as many files as apps have places in it. Those beyond are not postponed.
 *
 * @param now ms, of a clock that only goes forward
 */
export const createPostponed = (now: () => number, { shortest, longest }: Pauses, places: Shares): Postponed => {
  const known = new Map<number, { readonly appId: string; readonly failures: number; readonly until: number }>()

  const forget = (id: number): void => {
    const file = known.get(id)
    if (file !== undefined) places.add(file.appId, -1)
    known.delete(id)
  }

  /** Drops files that were due long ago and not tried: they are held no more. */
  const prune = (): void => {
    for (const [id, { until }] of known) if (until + longest < now()) forget(id)
  }

  return {
    list: () => {
      prune()
      return [...known].flatMap(([id, { until }]) => (until > now() ? [id] : []))
    },
    listAll: () => {
      prune()
      return [...known.keys()]
    },
    has: (id) => known.has(id),
    nextAt: () => {
      let next: number | undefined
      for (const { until } of known.values()) if (until > now() && (next === undefined || until < next)) next = until
      return next
    },
    add: ({ id, appId }, isLonger) => {
      const before = known.get(id)
      if (before === undefined && places.roomOf(appId) === 0) return false
      if (before === undefined) places.add(appId, 1)
      const { failures } = before ?? { failures: 0 }
      const until = now() + Math.min(shortest * 2 ** failures, longest)
      known.set(id, { appId, failures: failures + (isLonger ? 1 : 0), until })
      return before === undefined
    },
    forget,
    isFull: (appId) => places.roomOf(appId) === 0,
  }
}
