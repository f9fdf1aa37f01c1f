import type { Write } from "../../server-kit/logging.ts"
import { createReminder } from "../../server-kit/reminder.ts"
import { type BoundedMap, createBoundedMap } from "../bounded-map.ts"
import { clockSkew } from "../storage/tombstone.ts"

/** What an app is told about its clock. */
export interface ClockWarning {
  readonly text: string
  /** Says why the URLs of its registration are useless however new they are; undefined where they will work for a while. */
  readonly hopeless?: Hopeless
}

/** A registration whose URLs had already expired when they were issued. */
export interface Hopeless {
  /** Why, and what to do. */
  readonly detail: string
  /** What a refusal tells machines about it; in ms, how far the app is behind. Source: docs/protocol.md §6. */
  readonly data: { readonly clockSkew: number }
}

/** How far the clocks of apps differ from the ingest's, according to their registrations. */
export interface AppClocks {
  /** Notes what the clock of an app says and logs it where it is wrong, once an hour. Undefined where nothing is wrong. */
  readonly note: (registration: {
    readonly appId: string
    /** The id that its URLs name. */
    readonly id: string | undefined
    /** ms; negative: it is ahead */
    readonly behind: number
    /** Whether its URLs have expired by the ingest's clock. */
    readonly isExpired: boolean
  }) => ClockWarning | undefined
  /** Why the URLs of a registration are useless; undefined where nothing is known to be wrong. */
  readonly findHopeless: (appId: string, id: string | undefined) => Hopeless | undefined
}

const remedy = "Set both by NTP."

/** Registrations of an app that are remembered. A URL of an older one is treated like any other that has expired. */
const mostRemembered = 1000

const toDuration = (ms: number): string => {
  const minutes = Math.round(Math.abs(ms) / 60_000)
  return minutes < 120
    ? `${minutes} min`
    : minutes < 48 * 60
      ? `${Math.round(minutes / 60)} h`
      : `${Math.round(minutes / 1440)} days`
}

/** Remembers what apps whose clock is behind have registered in vain, until the ingest stops or their clock is right. */
export const createAppClocks = (write: Write): AppClocks => {
  const inVain = new Map<string, BoundedMap<Hopeless>>()
  const remind = createReminder()
  return {
    note: ({ appId, id, behind, isExpired }) => {
      if (Math.abs(behind) <= clockSkew) {
        inVain.delete(appId)
        return undefined
      }
      const again = remind(appId)
      if (again !== undefined) {
        write("Warning", "The clock of an app is wrong, or the ingest's is.", [{ app: appId, behind, again }])
      }
      const apart = `The app's clock is ${toDuration(behind)} ${behind > 0 ? "behind" : "ahead of"} the ingest's`
      const text = `${apart}: upload URLs may expire early, and callbacks are refused that seem too old or too new. ${remedy}`
      if (!isExpired) return { text }
      const hopeless = {
        detail: `${apart}, so its upload URLs have expired as soon as they are issued. ${remedy}`,
        data: { clockSkew: behind },
      }
      if (id !== undefined) {
        const ids = inVain.get(appId) ?? createBoundedMap<Hopeless>(mostRemembered)
        ids.set(id, hopeless)
        inVain.set(appId, ids)
      }
      return { text, hopeless }
    },
    findHopeless: (appId, id) => (id === undefined ? undefined : inVain.get(appId)?.get(id)),
  }
}
