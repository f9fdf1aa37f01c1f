import { applyChange, type BlobJournal, type JournalChange, type JournaledBlob, toEmptyBlob } from "./blob-journal.ts"

/**
 * Keeps the journal in memory, for tests and demonstrations: uploads that are under way when the process ends begin anew,
 * and what the bucket has of them stays until its own rule for incomplete uploads removes it.
 */
export const createMemoryBlobJournal = (): BlobJournal => {
  const blobs = new Map<string, JournaledBlob>()
  const isOlder = (key: string, epoch: number): boolean => epoch < (blobs.get(key)?.epoch ?? 0)
  const change = (key: string, epoch: number, changes: JournalChange): JournaledBlob | undefined => {
    if (isOlder(key, epoch)) return undefined
    const changed = applyChange(blobs.get(key) ?? toEmptyBlob(epoch), epoch, changes)
    blobs.set(key, changed)
    return changed
  }
  return {
    isDurable: false,
    read: async (key) => blobs.get(key),
    claim: async (key, epoch) => change(key, epoch, {}),
    write: async (key, epoch, changes) => change(key, epoch, changes) !== undefined,
    forget: async (key, epoch) => {
      if (epoch !== undefined && isOlder(key, epoch)) return false
      blobs.delete(key)
      return true
    },
    close: async () => {},
  }
}
