import { createBoundedMap } from "../bounded-map.ts"

/** Since when clients may trigger a failed callback again: the holder of a signed URL must not be able to keep an app busy. */
export interface AskedAgain {
  /**
   * Decides what a client's request does to a failed event. `now`: the event becomes due, which is noted. `shared`:
   * another client has asked for it, and that attempt has not ended. `tooSoon`: the last attempt that a client asked
   * for has failed, and it is too soon for another.
   *
   * @param attempts how many there were: the first ten may follow each other at once, then each takes a second longer
   */
  readonly ask: (eventId: string, attempts: number) => "now" | "shared" | "tooSoon"
}

/** Events that are remembered. For an older one only the schedule applies. */
const most = 10_000

/** ms */
const second = 1000

/**
 * Remembers when events were asked for again, until the ingest stops.
 *
 * @param steadyNow ms, of a clock that only goes forward
 */
export const createAskedAgain = (steadyNow = () => performance.now()): AskedAgain => {
  const last = createBoundedMap<{ readonly at: number; readonly attempts: number }>(most)
  return {
    ask: (eventId, attempts) => {
      const now = steadyNow()
      const before = last.get(eventId)
      const pause = Math.min(60, Math.max(0, attempts - 9)) * second
      if (before !== undefined && now - before.at < pause) return before.attempts === attempts ? "shared" : "tooSoon"
      last.set(eventId, { at: now, attempts })
      return "now"
    },
  }
}
