import { deleted } from "../refusals.ts"
import type { Service } from "../service.ts"

/**
 * Tells everybody who is working with deleted files, including writers of files that are not in the catalog yet. The
 * sweep soon removes the bytes of the `count` files that existed.
 */
export const announceDeletion = (
  { writers, readers, changes, devStreams, wakeHousekeeping }: Service,
  keys: ReadonlyArray<string>,
  count: number,
): void => {
  for (const key of new Set(keys)) {
    writers.stop(key, deleted())
    readers.stop(key)
    changes.notify(key)
    // Its event will not be sent any more.
    devStreams.acknowledge(key)
  }
  if (count > 0) wakeHousekeeping()
}
