/** Files that are tried again later. */
export interface Postponed {
  /** Ids of those whose time has not come. */
  readonly list: () => ReadonlyArray<number>
  /** When the next one may be tried, ms since the epoch; undefined: there is none. */
  readonly nextAt: () => number | undefined
  /**
   * Postpones a file: each time twice as long, up to a limit.
   *
   * @param isLonger whether this one counts towards the next pause
   * @returns whether it is the first time, as far as is remembered
   */
  readonly add: (id: number, isLonger: boolean) => boolean
  readonly forget: (id: number) => void
  /** Whether no further file can be remembered. */
  readonly isFull: () => boolean
}

/** Pauses of {@link createPostponed}, ms. */
export interface Pauses {
  readonly shortest: number
  readonly longest: number
}

/** Makes a memory of at most `most` files. Those beyond are not postponed. */
export const createPostponed = (now: () => number, { shortest, longest }: Pauses, most: number): Postponed => {
  const known = new Map<number, { readonly failures: number; readonly until: number }>()

  /** Drops files that were due long ago and not tried: they are held no more. */
  const prune = (): void => {
    for (const [id, { until }] of known) if (until + longest < now()) known.delete(id)
  }

  return {
    list: () => {
      prune()
      return [...known].flatMap(([id, { until }]) => (until > now() ? [id] : []))
    },
    nextAt: () => {
      let next: number | undefined
      for (const { until } of known.values()) if (until > now() && (next === undefined || until < next)) next = until
      return next
    },
    add: (id, isLonger) => {
      const before = known.get(id)
      if (before === undefined && known.size >= most) return false
      const { failures } = before ?? { failures: 0 }
      const until = now() + Math.min(shortest * 2 ** failures, longest)
      known.set(id, { failures: failures + (isLonger ? 1 : 0), until })
      return before === undefined
    },
    forget: (id) => void known.delete(id),
    isFull: () => known.size >= most,
  }
}
