import { createBoundedMap } from "../bounded-map.ts"

/** How soon the scanner has decided about the last file of an app: `silent` where it did not answer at all. */
export type Pace = "prompt" | "slow" | "silent"

/** Shares the places for scans among apps. */
export interface Turns<Waiting extends { readonly appId: string }> {
  /**
   * Takes the files whose turn it is, as many as there are places.
   *
   * @param waiting of each app the one first that is to be taken first
   * @param places  that there are in all, those that are taken included
   */
  readonly take: (waiting: ReadonlyArray<Waiting>, places: number) => ReadonlyArray<Waiting>
  /** Gives the place of a file back. */
  readonly release: (file: Waiting) => void
  /** Notes how soon the scanner has decided about a file of an app. */
  readonly note: (appId: string, pace: Pace) => void
  /** Places that are taken. */
  readonly count: () => number
}

/** How {@link createTurns} tells files and apps apart. */
export interface TurnRules<Waiting> {
  /** Whether the ingest has one app only. */
  readonly isOne: () => boolean
  /** Whether the scanner did not decide about this file before. */
  readonly isTried: (file: Waiting) => boolean
}

/** Apps whose pace is remembered. */
const mostApps = 1000

/** Files about which it has to be prompt, one after the other, before an app about which it was not is prompt again. */
const makesUp = 3

/**
 * Makes them. The next place goes to the app that holds the fewest, and of those to the one that has waited longest. An app
 * holds at most half of them while there is another one that waits or holds some, or while the scanner was not prompt about its
 * files, and where there are several apps never the last one, so that a newcomer need not wait for a scan that takes minutes.
 *
 * What a scanner hangs on keeps nothing else waiting: files that were tried before have half of the places, and so have all
 * apps together about whose last file it was silent, until it was prompt about three. Those about which it was not prompt, or was not asked yet, have three quarters.
 */
export const createTurns = <Waiting extends { readonly appId: string }>({
  isOne,
  isTried,
}: TurnRules<Waiting>): Turns<Waiting> => {
  /** What holds a place, and as what it was given it. */
  const taken = new Map<Waiting, { readonly pace: Pace; readonly isTried: boolean }>()
  const takenBy = new Map<string, number>()
  const paces = createBoundedMap<{ readonly pace: Pace; readonly prompt: number }>(mostApps)
  /** When an app last had a turn. */
  const lastTurn = new Map<string, number>()
  let turn = 0

  const paceOf = (appId: string): Pace => paces.get(appId)?.pace ?? "slow"

  /** Whether there is room for one more of its kind. */
  const hasRoom = (file: Waiting, places: number): boolean => {
    const countOf = (isCounted: (of: { readonly pace: Pace; readonly isTried: boolean }) => boolean): number =>
      [...taken.values()].filter(isCounted).length
    const half = Math.max(1, Math.floor(places / 2))
    if (isTried(file) && countOf((other) => other.isTried) >= half) return false
    const pace = paceOf(file.appId)
    if (isOne() || pace === "prompt") return true
    if (pace === "silent" && countOf((other) => other.pace === "silent") >= half) return false
    return countOf((other) => other.pace !== "prompt") < Math.max(1, Math.floor(places * 0.75))
  }

  return {
    count: () => taken.size,
    note: (appId, pace) => {
      const before = paces.get(appId)
      if (pace !== "prompt" || before === undefined) return paces.set(appId, { pace, prompt: 0 })
      const prompt = before.prompt + 1
      paces.set(appId, { pace: prompt >= makesUp ? "prompt" : before.pace, prompt })
    },
    take: (waiting, places) => {
      const queues = Map.groupBy(waiting, ({ appId }) => appId)
      const present = new Set([...queues.keys(), ...takenBy.keys()])
      for (const appId of lastTurn.keys()) if (!present.has(appId)) lastTurn.delete(appId)
      const half = Math.ceil(places / 2)
      /** The most that an app may hold. */
      const mostOf = (appId: string): number => {
        if (isOne()) return places
        return present.size > 1 || paceOf(appId) !== "prompt" ? half : Math.max(1, places - 1)
      }
      const heldBy = (appId: string): number => takenBy.get(appId) ?? 0
      const chosen: Array<Waiting> = []
      while (taken.size < places) {
        const [appId] = [...queues.keys()]
          .filter((each) => {
            const [next] = queues.get(each)!
            return next !== undefined && heldBy(each) < mostOf(each) && hasRoom(next, places)
          })
          .toSorted((a, b) => heldBy(a) - heldBy(b) || (lastTurn.get(a) ?? -1) - (lastTurn.get(b) ?? -1))
        if (appId === undefined) break
        const file = queues.get(appId)!.shift()!
        taken.set(file, { pace: paceOf(appId), isTried: isTried(file) })
        takenBy.set(appId, heldBy(appId) + 1)
        lastTurn.set(appId, turn++)
        chosen.push(file)
      }
      return chosen
    },
    release: (file) => {
      if (!taken.delete(file)) return
      const left = takenBy.get(file.appId)! - 1
      if (left > 0) takenBy.set(file.appId, left)
      else takenBy.delete(file.appId)
    },
  }
}
