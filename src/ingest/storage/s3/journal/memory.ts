import { applyChange, type BlobJournal, type JournaledBlob, type LateRemoval, toEmptyBlob } from "./blob-journal.ts"

/**
 * Keeps the journal in memory, for tests and demonstrations: uploads that are under way when the process ends begin anew,
 * and what the bucket has of them stays until its own rule for incomplete uploads removes it.
 */
export const createMemoryBlobJournal = (): BlobJournal => {
  const blobs = new Map<string, JournaledBlob>()
  const removals = new Map<string, LateRemoval>()
  const isOlder = (key: string, epoch: number): boolean => epoch < (blobs.get(key)?.epoch ?? 0)
  return {
    isDurable: false,
    read: async (key) => blobs.get(key),
    claim: async (key, epoch) => {
      if (isOlder(key, epoch)) return undefined
      const claimed = { ...(blobs.get(key) ?? toEmptyBlob(epoch)), epoch }
      blobs.set(key, claimed)
      return claimed
    },
    write: async (key, epoch, change) => {
      const before = blobs.get(key)
      if (before === undefined || isOlder(key, epoch)) return false
      blobs.set(key, applyChange(before, epoch, change))
      return true
    },
    forget: async (key, epoch) => {
      if (epoch !== undefined && isOlder(key, epoch)) return false
      blobs.delete(key)
      return true
    },
    now: async () => Date.now(),
    noteRemoval: async (removal) => void removals.set(removal.key, removal),
    listRemovals: async (now, limit) =>
      [...removals.values()]
        .filter(({ at }) => at <= now)
        .toSorted((one, other) => one.at - other.at || (one.key < other.key ? -1 : 1))
        .slice(0, limit),
    forgetRemoval: async (key) => void removals.delete(key),
    close: async () => {},
  }
}
