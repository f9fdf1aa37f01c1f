import { createBoundedMap } from "../bounded-map.ts"

/** How soon the scanner has decided about the last file of an app: `silent` where it did not answer at all. */
export type Pace = "prompt" | "slow" | "silent"

/** Whose a file is. */
interface Owned {
  readonly appId: string
  /** The user of the app, where it says so. */
  readonly owner: string | null
}

/** Shares the places for scans among apps, and among the users of an app. */
export interface Turns<Waiting extends Owned> {
  /**
   * Takes the files whose turn it is, as many as there are places.
   *
   * @param waiting of each app the one first that is to be taken first
   * @param places  that there are in all, those that are taken included
   */
  readonly take: (waiting: ReadonlyArray<Waiting>, places: number) => ReadonlyArray<Waiting>
  /** Gives the place of a file back. */
  readonly release: (file: Waiting) => void
  /** Notes how soon the scanner has decided about a file. */
  readonly note: (file: Owned, pace: Pace) => void
  /** Whether it was silent about the last file of an app, so that files far behind in its queue may have to go first. */
  readonly isSilent: (appId: string) => boolean
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

/** Apps whose pace is remembered, and as many owners. */
const mostKnown = 1000

/** Files about which it has to be prompt, one after the other, before an app or an owner about which it was not is prompt again. */
const makesUp = 3

/** Remembers how soon it was about each of many. */
const createPaces = () => {
  const paces = createBoundedMap<{ readonly pace: Pace; readonly prompt: number }>(mostKnown)
  return {
    of: (id: string): Pace => paces.get(id)?.pace ?? "slow",
    note: (id: string, pace: Pace): void => {
      const before = paces.get(id)
      if (pace !== "prompt" || before === undefined) return paces.set(id, { pace, prompt: 0 })
      const prompt = before.prompt + 1
      paces.set(id, { pace: prompt >= makesUp ? "prompt" : before.pace, prompt })
    },
  }
}

const toOwnerId = ({ appId, owner }: Owned): string => `${appId} ${owner ?? ""}`

/** What holds a place, and as what it was given it. */
interface Place {
  readonly pace: Pace
  readonly isTried: boolean
  readonly isOfSilentOwner: boolean
}

/**
 * Makes them. The next place goes to the app that holds the fewest, and of those to the one that has waited longest. An app
 * holds at most half of them while there is another one that waits or holds some, or while the scanner was not prompt about its
 * files, and where there are several apps never the last one, so that a newcomer need not wait for a scan that takes minutes.
 *
 * What a scanner hangs on keeps nothing else waiting: files that were tried before have half of the places, and so have all
 * apps together about whose last file it was silent, until it was prompt about three. Those about which it was not prompt, or was not asked yet, have three quarters.
 * Within an app the owner that holds the fewest is next, and owners about whose last file it was silent have half of all places, too.
 */
export const createTurns = <Waiting extends Owned>({ isOne, isTried }: TurnRules<Waiting>): Turns<Waiting> => {
  const taken = new Map<Waiting, Place>()
  const takenBy = new Map<string, number>()
  const [paces, ownerPaces] = [createPaces(), createPaces()]
  /** When an app last had a turn. */
  const lastTurn = new Map<string, number>()
  let turn = 0

  const toPlace = (file: Waiting): Place => ({
    pace: paces.of(file.appId),
    isTried: isTried(file),
    // Files of nobody are of all: they are not kept from their turn by each other.
    isOfSilentOwner: file.owner !== null && ownerPaces.of(toOwnerId(file)) === "silent",
  })

  /** Whether there is room for one more of its kind. */
  const hasRoom = ({ pace, isTried, isOfSilentOwner }: Place, places: number): boolean => {
    const countOf = (isCounted: (of: Place) => boolean): number => [...taken.values()].filter(isCounted).length
    const half = Math.max(1, Math.floor(places / 2))
    if (isTried && countOf((other) => other.isTried) >= half) return false
    if (isOfSilentOwner && countOf((other) => other.isOfSilentOwner) >= half) return false
    if (isOne() || pace === "prompt") return true
    if (pace === "silent" && countOf((other) => other.pace === "silent") >= half) return false
    return countOf((other) => other.pace !== "prompt") < Math.max(1, Math.floor(places * 0.75))
  }

  /** The file of an app that is next, if there is room for one: of the owner that holds the fewest, in the order of the queue. */
  const findNext = (
    queue: ReadonlyArray<Waiting>,
    held: ReadonlyMap<string, number>,
    places: number,
  ): Waiting | undefined => {
    let [next, fewest]: [Waiting | undefined, number] = [undefined, Number.POSITIVE_INFINITY]
    for (const file of queue) {
      const [place, count] = [toPlace(file), held.get(toOwnerId(file)) ?? 0]
      // Those that were tried come after all others.
      const rank = count + (place.isTried ? places : 0)
      if (rank < fewest && hasRoom(place, places)) [next, fewest] = [file, rank]
      if (fewest === 0) break
    }
    return next
  }

  const heldBy = (appId: string): number => takenBy.get(appId) ?? 0

  /** The next file of the app whose turn it is, among those that have room. */
  const pick = (queues: ReadonlyMap<string, Array<Waiting>>, mostOf: (appId: string) => number, places: number) => {
    const held = new Map<string, number>()
    for (const file of taken.keys()) held.set(toOwnerId(file), (held.get(toOwnerId(file)) ?? 0) + 1)
    const inTurn = [...queues]
      .filter(([appId]) => heldBy(appId) < mostOf(appId))
      .toSorted(([a], [b]) => heldBy(a) - heldBy(b) || (lastTurn.get(a) ?? -1) - (lastTurn.get(b) ?? -1))
    for (const [appId, queue] of inTurn) {
      const file = findNext(queue, held, places)
      if (file !== undefined) return { appId, queue, file }
    }
    return undefined
  }

  return {
    count: () => taken.size,
    note: (file, pace) => {
      paces.note(file.appId, pace)
      ownerPaces.note(toOwnerId(file), pace)
    },
    isSilent: (appId) => paces.of(appId) === "silent",
    take: (waiting, places) => {
      const queues = Map.groupBy(waiting, ({ appId }) => appId)
      const present = new Set([...queues.keys(), ...takenBy.keys()])
      for (const appId of lastTurn.keys()) if (!present.has(appId)) lastTurn.delete(appId)
      const half = Math.ceil(places / 2)
      /** The most that an app may hold. */
      const mostOf = (appId: string): number => {
        if (isOne()) return places
        return present.size > 1 || paces.of(appId) !== "prompt" ? half : Math.max(1, places - 1)
      }
      const chosen: Array<Waiting> = []
      while (taken.size < places) {
        const next = pick(queues, mostOf, places)
        if (next === undefined) break
        const { appId, queue, file } = next
        queue.splice(queue.indexOf(file), 1)
        taken.set(file, toPlace(file))
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
