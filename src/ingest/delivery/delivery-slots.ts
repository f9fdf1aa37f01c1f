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
  /** Notes whether a receiver answered; true when this differs from the time before, or it is silent from the first time on. */
  readonly note: (receiver: string, hasAnswered: boolean) => boolean
}

/** Slots of a receiver that did not answer last time, or was not asked yet. */
const fewest = 2

/**
 * Shares slots among receivers, so that one that hangs does not use up the slots of the others.
 *
 * A receiver holds at most two of them until it has answered, and after a delivery that got no answer; otherwise at most a
 * quarter. The last free quarter is for those that hold fewer than two, so that three that hang at once do not block a fourth.
 * Hundreds may hang, with two each: together those that did not answer last time hold at most half of all.
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
  const shares = createShares({ maximum, reserve: quarter, few, portion: 1 })
  /** Receivers that did not answer last time, and those that did. */
  const [silent, answered] = [new Set<string>(), new Set<string>()]
  /** Slots that the silent ones hold. */
  let unanswered = 0
  /** Receivers that had less room than deliveries when deliveries were last claimed for them. */
  let behind = new Set<string>()
  /** Receivers that ran out of room since the current claim began. */
  let refused = new Set<string>()

  const add = (receiver: string, count: number): void => {
    shares.add(receiver, count)
    if (silent.has(receiver)) unanswered += count
  }

  const roomOf = (receiver: string): number => {
    if (answered.has(receiver)) return shares.roomOf(receiver, quarter)
    const open = silent.has(receiver) ? half - unanswered : few
    return Math.max(0, Math.min(shares.roomOf(receiver, few), open))
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
      if (behind.has(receiver) || roomOf(receiver) === 0) {
        behind.add(receiver)
        refused.add(receiver)
        return undefined
      }
      add(receiver, 1)
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
        }
        wakeWhoWaits()
      }
    },
    note: (receiver, hasAnswered) => {
      const isNews = silent.has(receiver) === hasAnswered
      if (isNews) unanswered += (hasAnswered ? -1 : 1) * shares.heldBy(receiver)
      const [to, from] = hasAnswered ? [answered, silent] : [silent, answered]
      from.delete(receiver)
      const { size } = to
      to.add(receiver)
      // It may hold more from now on.
      if (hasAnswered && to.size > size) wakeWhoWaits()
      return isNews
    },
  }
}
