import type { FileReference } from "../../protocol/rest-messages.ts"
import type { CatalogFiles } from "./catalog-files.ts"
import type { FileRecord } from "./catalog-records.ts"

/** What an app does to its files in memory; by a custom id it walks all of them. */
export const createMemoryFiles = (memory: {
  /** The file that holds a key. */
  readonly find: (key: string) => FileRecord | undefined
  /** All files that hold their key. */
  readonly files: () => Iterable<FileRecord>
  readonly replace: (file: FileRecord) => void
  /** Forgets the event of a file, and that it is expected. */
  readonly forgetEvent: (file: FileRecord) => void
}): CatalogFiles => {
  const findAll = (appId: string, reference: FileReference): ReadonlyArray<FileRecord> => {
    const found =
      "fileKey" in reference
        ? [memory.find(reference.fileKey)]
        : [...memory.files()].filter(({ customId }) => customId === reference.customId)
    return found.filter((file) => file?.appId === appId) as ReadonlyArray<FileRecord>
  }

  return {
    deleteFiles: async ({ appId, files, now }) =>
      files.flatMap((reference) => {
        const found = findAll(appId, reference).filter(({ status }) => status !== "Deleting")
        for (const file of found) {
          memory.replace({ ...file, status: "Deleting", epoch: file.epoch + 1, endedAt: now })
          memory.forgetEvent(file)
        }
        return found.map(({ key }) => key)
      }),
    changeFiles: async ({ appId, changes }) => {
      let count = 0
      for (const { file: reference, name, acl } of changes) {
        const found = findAll(appId, reference).filter(({ status }) => status === "Uploaded")
        for (const file of found) memory.replace({ ...file, name: name ?? file.name, acl: acl ?? file.acl })
        if (found.length > 0) count++
      }
      return count
    },
  }
}
