import type { AttemptRecord } from "../storage/catalog.ts"

/** Up to a fifth more or less, so that events of one outage do not all come back at the same moment. */
const jitter = (delay: number): number => Math.round(delay * (0.8 + 0.4 * Math.random()))

/** What follows a failed attempt that was the nth retry of its schedule. Source: docs/protocol.md §8. */
export const judgeRetry = (
  retry: number,
  now: number,
  retries: ReadonlyArray<number>,
): Exclude<AttemptRecord["outcome"], "delivered"> => {
  const delay = retries[retry]
  return delay === undefined ? "dead" : { retryAt: now + jitter(delay) }
}
