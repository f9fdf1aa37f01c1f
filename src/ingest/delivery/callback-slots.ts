import { createShares } from "../shares.ts"
import type { DueDelivery } from "../storage/catalog.ts"

/** Room for one callback, until it is released. */
export interface Slot {
  readonly release: () => void
}

/** Limits how many callbacks are in progress at once, in total and for each app. */
export interface CallbackSlots {
  /** A slot for the next callback of an app; undefined while it has no room, or while an older callback of it waits for room. */
  readonly reserve: (appId: string) => Slot | undefined
  /** Claims as much as there is room for: `roomOf` reserves an app's room, so that nothing else takes it until `claim` is over. */
  readonly claim: (
    claim: (roomOf: (appId: string) => number) => Promise<ReadonlyArray<DueDelivery>>,
  ) => Promise<ReadonlyArray<{ readonly due: DueDelivery; readonly slot: Slot }>>
  /** Notes whether an app answered; true when this differs from the time before. */
  readonly note: (appId: string, hasAnswered: boolean) => boolean
}

/** Slots of an app that did not answer last time. */
const fewest = 2

/**
 * Shares slots among apps, so that an app that hangs does not use up the slots of the others.
 *
 * An app holds at most a quarter of them, or two after a callback that got no answer, until it answers again. The last
 * free quarter is for apps that hold fewer than two, so that three apps that hang at once do not block a fourth.
 *
 * Apps are told apart by id, not by the origin that is called: a tenant can have as many origins as it likes, and the
 * origin of a callback is not known before the commit for which a slot is reserved. Where one origin of an app hangs
 * and another works, the next answer of the other gives the app its quarter back.
 *
 * @param maximum of all slots
 * @param wake    called when an app that waits for room has some
 */
export const createCallbackSlots = (maximum: number, wake: () => void): CallbackSlots => {
  const quarter = Math.max(1, Math.floor(maximum / 4))
  const few = Math.min(fewest, quarter)
  const { roomOf: roomUpTo, add } = createShares({ maximum, reserve: quarter, few, portion: 1 })
  const silent = new Set<string>()
  /** Apps that had less room than callbacks when callbacks were last claimed for them. */
  let behind = new Set<string>()
  /** Apps that ran out of room since the current claim began. */
  let refused = new Set<string>()

  const roomOf = (appId: string): number => roomUpTo(appId, silent.has(appId) ? few : quarter)

  const wakeWhoWaits = (): void => {
    for (const appId of behind) {
      if (roomOf(appId) > 0) return wake()
    }
  }

  /** A slot that is already counted. */
  const toSlot = (appId: string): Slot => {
    let isHeld = true
    return {
      release: () => {
        if (!isHeld) return
        isHeld = false
        add(appId, -1)
        wakeWhoWaits()
      },
    }
  }

  return {
    reserve: (appId) => {
      if (behind.has(appId) || roomOf(appId) === 0) {
        behind.add(appId)
        refused.add(appId)
        return undefined
      }
      add(appId, 1)
      return toSlot(appId)
    },
    claim: async (claim) => {
      refused = new Set()
      const rooms = new Map<string, number>()
      const claimed = new Map<string, number>()
      const setAside = (appId: string): number => {
        const room = rooms.get(appId) ?? roomOf(appId)
        // A catalog may call this twice, when a transaction runs again.
        if (!rooms.has(appId)) add(appId, room)
        rooms.set(appId, room)
        return room
      }
      try {
        const found = await claim(setAside)
        return found.map((due) => {
          const { appId } = due.file
          claimed.set(appId, (claimed.get(appId) ?? 0) + 1)
          return { due, slot: toSlot(appId) }
        })
      } finally {
        behind = refused
        for (const [appId, room] of rooms) {
          const count = claimed.get(appId) ?? 0
          add(appId, count - room)
          if (count === room) behind.add(appId)
        }
        wakeWhoWaits()
      }
    },
    note: (appId, hasAnswered) => {
      if (silent.has(appId) !== hasAnswered) return false
      if (hasAnswered) silent.delete(appId)
      else silent.add(appId)
      return true
    },
  }
}
