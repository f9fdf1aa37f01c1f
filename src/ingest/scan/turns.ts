/** Shares the places for scans among apps. */
export interface Turns<Waiting extends { readonly appId: string }> {
  /**
   * Takes the files whose turn it is, as many as there are places.
   *
   * @param waiting of each app the oldest first
   * @param places  that there are in all, those that are taken included
   */
  readonly take: (waiting: ReadonlyArray<Waiting>, places: number) => ReadonlyArray<Waiting>
  /** Gives a place back. */
  readonly release: (appId: string) => void
  /** Places that are taken. */
  readonly count: () => number
}

/**
 * Makes them. The next place goes to the app that holds the fewest, and of those to the one that has waited longest. An app
 * holds at most half of them while there is another one that waits or holds some, and where there are several apps never
 * the last one, so that a newcomer need not wait for a scan that takes minutes.
 *
 * @param isOne whether the ingest has one app only
 */
export const createTurns = <Waiting extends { readonly appId: string }>(isOne: () => boolean): Turns<Waiting> => {
  const taken = new Map<string, number>()
  /** When an app last had a turn. */
  const lastTurn = new Map<string, number>()
  let turn = 0
  const count = (): number => [...taken.values()].reduce((sum, one) => sum + one, 0)

  return {
    count,
    take: (waiting, places) => {
      const queues = Map.groupBy(waiting, ({ appId }) => appId)
      const present = new Set([...queues.keys(), ...taken.keys()])
      for (const appId of lastTurn.keys()) if (!present.has(appId)) lastTurn.delete(appId)
      const alone = isOne() ? places : Math.max(1, places - 1)
      const most = present.size > 1 ? Math.ceil(places / 2) : alone
      const chosen: Array<Waiting> = []
      while (count() < places) {
        const [appId] = [...queues.keys()]
          .filter((each) => queues.get(each)!.length > 0 && (taken.get(each) ?? 0) < most)
          .toSorted(
            (a, b) => (taken.get(a) ?? 0) - (taken.get(b) ?? 0) || (lastTurn.get(a) ?? -1) - (lastTurn.get(b) ?? -1),
          )
        if (appId === undefined) break
        taken.set(appId, (taken.get(appId) ?? 0) + 1)
        lastTurn.set(appId, turn++)
        chosen.push(queues.get(appId)!.shift()!)
      }
      return chosen
    },
    release: (appId) => {
      const left = (taken.get(appId) ?? 0) - 1
      if (left > 0) taken.set(appId, left)
      else taken.delete(appId)
    },
  }
}
