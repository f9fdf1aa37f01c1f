import { createBoundedMap } from "../bounded-map.ts"

/** How often in a row an endpoint may fail before there is a rest: some events of a good one may be more than it can take. */
const tolerated = 3

/** The first rest, ms; each failure after it doubles the next one. */
const first = 20

/** The longest one, ms. An endpoint that is mended waits no longer. */
const longest = 1000

/** Endpoints of which the failures are counted. */
const most = 10_000

/** How long endpoints that fail are left alone between two of their events. */
export interface Rests {
  /** ms until the place of this attempt may be taken by the endpoint's next event. */
  readonly after: (endpointId: string, isDelivered: boolean) => number
}

/**
 * Counts how often in a row endpoints fail. Each event of an endpoint has a schedule of its own: one that refuses connections while
 * 100,000 events are due would be called 100,000 times, as fast as the ingest can, and that again at each retry.
 */
export const createRests = (): Rests => {
  const failures = createBoundedMap<number>(most)
  return {
    after: (endpointId, isDelivered) => {
      if (isDelivered) {
        failures.delete(endpointId)
        return 0
      }
      const inARow = (failures.get(endpointId) ?? 0) + 1
      failures.set(endpointId, inARow)
      return inARow <= tolerated ? 0 : Math.min(longest, first * 2 ** (inARow - tolerated - 1))
    },
  }
}
