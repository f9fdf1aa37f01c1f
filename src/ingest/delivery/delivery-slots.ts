import type { PostFailed } from "../../server-kit/post-json.ts"
import { createShares } from "../shares.ts"

/** Room for one delivery, until it is released. */
export interface Slot {
  readonly release: () => void
}

/** Limits how many deliveries are in progress at once, in total and for each receiver: an app, or one of its endpoints. */
export interface DeliverySlots<Due> {
  /** A slot for the next delivery to a receiver; undefined while it has no room, or while an older one waits for room. */
  readonly reserve: (receiver: string) => Slot | undefined
  /** Claims as much as there is room for: `roomOf` reserves a receiver's room, so that nothing else takes it until `claim` is over. */
  readonly claim: (
    claim: (roomOf: (receiver: string) => number) => Promise<ReadonlyArray<Due>>,
  ) => Promise<ReadonlyArray<{ readonly due: Due; readonly slot: Slot }>>
  /** Notes how an attempt ended; true when a receiver fell silent, or answers again. */
  readonly note: (receiver: string, answer: Promptness) => boolean
}

/** How soon a receiver has answered: `late` where it has kept its slot for long, `none` where it did not answer. */
export type Promptness = "prompt" | "late" | "none"

/** How long a prompt answer takes at most, ms. */
const promptWithin = 5000

/**
 * How soon an attempt was answered; undefined where nobody was asked, and no slot was kept for long.
 *
 * @param latency ms until it was over
 */
export const judgePromptness = (
  failure: Pick<PostFailed, "reason" | "status"> | undefined,
  latency: number,
): Promptness | undefined => {
  const isLate = latency > promptWithin
  // A name may be looked up for long before it is found to be none that may be called.
  if (failure?.reason === "forbidden") return isLate ? "late" : undefined
  if (failure !== undefined && failure.status === undefined) return "none"
  return isLate ? "late" : "prompt"
}

/** Slots of a receiver that did not answer last time, or was not asked yet. */
const fewest = 2

/** How many prompt answers one after the other make up for one that was not: else every other one would do. */
const makesUp = 3

/** `new`: not asked yet. `silent`: it did not answer last time. `late`: it has answered, and not promptly of late. */
type Standing = "new" | "silent" | "late" | "good"

/**
 * Shares slots among receivers, so that one that hangs does not use up the slots of the others.
 *
 * A receiver holds at most a quarter of them; at most two after a delivery that got no answer, and until its first, or one where
 * many are new. The last free quarter is for those that hold fewer than two, so that three that hang at once do not block a fourth.
 *
 * Hundreds may hang, or answer slowly: together the silent ones hold at most a quarter, with late ones at most half, and with new
 * ones three quarters. So one that is prompt finds a slot, whatever the others do, and one that is new before long. An eighth is for
 * what arrives of new ones now: when a process starts, what is owed to hundreds may have waited for long. Where one class has no room
 * for all, the one whose turn is longest ago comes first: whoever has much to be sent would else take each slot that comes free.
 *
 * Apps are told apart by id, not by the origin that is called: a tenant can have as many origins as it likes, and the
 * origin of a callback is not known before the commit for which a slot is reserved. Where one origin of an app hangs
 * and another works, the next answer of the other gives the app its quarter back.
 *
 * @param maximum    of all slots
 * @param receiverOf says whom a delivery is for
 * @param wake       called when a receiver that waits for room has some
 */
export const createDeliverySlots = <Due>(
  maximum: number,
  receiverOf: (due: Due) => string,
  wake: () => void,
): DeliverySlots<Due> => {
  const quarter = Math.max(1, Math.floor(maximum / 4))
  const few = Math.min(fewest, quarter)
  const half = Math.max(1, Math.floor(maximum / 2))
  const threeQuarters = Math.max(1, maximum - quarter)
  const eighth = Math.floor(maximum / 8)
  const shares = createShares({ maximum, reserve: quarter, few, portion: 1 })
  /** Receivers that did not answer last time. */
  const silent = new Set<string>()
  /** How many prompt answers a receiver owes; none is known of one that was not asked yet. */
  const owed = new Map<string, number>()
  const taken: Record<Standing, number> = { new: 0, silent: 0, late: 0, good: 0 }
  /** When receivers were given slots last: a number that grows. */
  const turns = new Map<string, number>()
  let turn = 0
  /** Receivers that had less room than deliveries when deliveries were last claimed for them. */
  let behind = new Set<string>()
  /** Receivers that ran out of room since the current claim began. */
  let refused = new Set<string>()

  const standingOf = (receiver: string): Standing => {
    if (silent.has(receiver)) return "silent"
    const owes = owed.get(receiver)
    return owes === undefined ? "new" : owes > 0 ? "late" : "good"
  }

  const add = (receiver: string, count: number): void => {
    shares.add(receiver, count)
    taken[standingOf(receiver)] += count
  }

  /** How many slots a receiver may hold at most. */
  const mostOf = (receiver: string): number => {
    const standing = standingOf(receiver)
    if (standing === "new") return taken.new < quarter ? few : 1
    return standing === "silent" ? few : quarter
  }

  /** How many slots those may have yet that wait, and whose turn is longer ago than this one's. */
  const countAhead = (receiver: string, standing: Standing): number => {
    const own = turns.get(receiver) ?? 0
    let count = 0
    for (const other of behind) {
      const isAhead = (turns.get(other) ?? 0) < own && standingOf(other) === standing
      if (isAhead) count += Math.max(0, mostOf(other) - shares.heldBy(other))
    }
    return count
  }

  /** @param isLive whether it is for what has arrived just now */
  const roomOf = (receiver: string, isLive = false): number => {
    const standing = standingOf(receiver)
    const open = shares.roomOf(receiver, mostOf(receiver))
    if (standing === "good") return open
    const doubtful = taken.silent + taken.late
    const free = Math.min(
      threeQuarters - taken.new - doubtful - (standing === "new" && !isLive ? eighth : 0),
      standing === "new" ? maximum : half - doubtful,
      standing === "silent" ? quarter - taken.silent : maximum,
    )
    const room = Math.min(open, free)
    return room <= 0 ? 0 : Math.max(0, Math.min(room, free - countAhead(receiver, standing)))
  }

  const wakeWhoWaits = (): void => {
    for (const receiver of behind) {
      if (roomOf(receiver) > 0) return wake()
    }
  }

  /** A slot that is already counted. */
  const toSlot = (receiver: string): Slot => {
    let isHeld = true
    return {
      release: () => {
        if (!isHeld) return
        isHeld = false
        add(receiver, -1)
        wakeWhoWaits()
      },
    }
  }

  return {
    reserve: (receiver) => {
      if (behind.has(receiver) || roomOf(receiver, true) === 0) {
        behind.add(receiver)
        refused.add(receiver)
        return undefined
      }
      add(receiver, 1)
      turns.set(receiver, ++turn)
      return toSlot(receiver)
    },
    claim: async (claim) => {
      refused = new Set()
      const rooms = new Map<string, number>()
      const claimed = new Map<string, number>()
      const setAside = (receiver: string): number => {
        const room = rooms.get(receiver) ?? roomOf(receiver)
        // A catalog may call this twice, when a transaction runs again.
        if (!rooms.has(receiver)) add(receiver, room)
        rooms.set(receiver, room)
        return room
      }
      try {
        const found = await claim(setAside)
        return found.map((due) => {
          const receiver = receiverOf(due)
          claimed.set(receiver, (claimed.get(receiver) ?? 0) + 1)
          return { due, slot: toSlot(receiver) }
        })
      } finally {
        behind = refused
        for (const [receiver, room] of rooms) {
          const count = claimed.get(receiver) ?? 0
          add(receiver, count - room)
          if (count === room) behind.add(receiver)
          if (count > 0) turns.set(receiver, ++turn)
        }
        wakeWhoWaits()
      }
    },
    note: (receiver, answer) => {
      const before = standingOf(receiver)
      const wasSilent = silent.has(receiver)
      if (answer === "none") silent.add(receiver)
      else silent.delete(receiver)
      owed.set(receiver, answer === "prompt" ? Math.max(0, (owed.get(receiver) ?? 0) - 1) : makesUp)
      const held = shares.heldBy(receiver)
      taken[before] -= held
      taken[standingOf(receiver)] += held
      // It may hold more from now on.
      if (answer !== "none" && (wasSilent || before !== standingOf(receiver))) wakeWhoWaits()
      return wasSilent !== silent.has(receiver)
    },
  }
}
