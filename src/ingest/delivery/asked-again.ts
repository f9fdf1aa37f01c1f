import { createBoundedMap } from "../bounded-map.ts"

/** Since when clients may have a failed callback made again: who has a signed URL must not be able to keep an app busy. */
export interface AskedAgain {
  /**
   * Whether an event is made due because a client asks: `now`, which is noted; it was for another client, and that attempt has
   * not ended (`shared`); or the last one that a client asked for has failed, and it is too soon for one more (`tooSoon`).
   *
   * @param attempts how many there were: the first ten may follow each other at once, then each takes a second longer
   */
  readonly ask: (eventId: string, attempts: number, now: number) => "now" | "shared" | "tooSoon"
}

/** Events that are remembered; of an older one the schedule alone decides. */
const most = 10_000

/** ms */
const second = 1000

/** Remembers when events were asked for again, until the ingest stops. */
export const createAskedAgain = (): AskedAgain => {
  const last = createBoundedMap<{ readonly at: number; readonly attempts: number }>(most)
  return {
    ask: (eventId, attempts, now) => {
      const before = last.get(eventId)
      const pause = Math.min(60, Math.max(0, attempts - 9)) * second
      if (before !== undefined && now - before.at < pause) return before.attempts === attempts ? "shared" : "tooSoon"
      last.set(eventId, { at: now, attempts })
      return "now"
    },
  }
}
