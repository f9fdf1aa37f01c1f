import type { FileReference } from "../../protocol/rest-messages.ts"
import type { FileChange } from "./catalog/files.ts"

/** A name by which the same reference is found again. */
export const nameOf = (file: FileReference): string =>
  "fileKey" in file ? `key ${file.fileKey}` : `custom id ${file.customId}`

const changeable = ["name", "acl", "path", "removeAt"] as const satisfies ReadonlyArray<keyof FileChange>

/**
 * The changes without those that later ones of the same reference overwrite: many files can have the same custom id,
 * and an app may repeat it a thousand times.
 */
export const dropOverwritten = (changes: ReadonlyArray<FileChange>): ReadonlyArray<FileChange> => {
  const later = new Map<string, ReadonlySet<string>>()
  return changes
    .toReversed()
    .filter((change) => {
      const reference = nameOf(change.file)
      const known = later.get(reference)
      const given = changeable.filter((field) => change[field] !== undefined)
      const isNew = known === undefined || given.some((field) => !known.has(field))
      if (isNew) later.set(reference, new Set([...(known ?? []), ...given]))
      return isNew
    })
    .toReversed()
}
