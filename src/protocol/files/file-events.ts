/**
 * What endpoints of an app can hear of its files.
 *
 * `uploaded`: it has arrived and anybody with the right may read it; `held`: it has arrived and waits for a verdict;
 * `released` and `rejected`: the verdict; `claimed`: it need not be claimed any more; `failed`: its upload has ended
 * without a file; `expired`: nobody has claimed it, or its time has passed; `deleted`: its app has deleted it.
 *
 * Source: docs/protocol.md §8.
 */
export const fileEventTypes = [
  "uploaded",
  "failed",
  "held",
  "released",
  "rejected",
  "claimed",
  "expired",
  "deleted",
] as const

/** One of {@link fileEventTypes}. */
export type FileEventType = (typeof fileEventTypes)[number]
