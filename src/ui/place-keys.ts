import { createStoredItem } from "./stored-files.ts"
import type { InitialFile } from "./upload-component-options.ts"
import type { UploadItem } from "./upload-state.ts"

export const isSameList = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((key, index) => key === b[index])

/**
 * Makes the stored files of a list those of the given keys, in that order. What is not stored yet keeps its place; a key
 * that nothing is known of stands for its name.
 */
export const placeKeys = (
  files: ReadonlyArray<UploadItem>,
  keys: ReadonlyArray<string>,
  known: ReadonlyArray<InitialFile> = [],
): ReadonlyArray<UploadItem> => {
  const stored = [...new Set(keys)].map(
    (key) =>
      files.find((item) => item.key === key) ??
      createStoredItem(known.find((file) => file.key === key) ?? { key, name: key }),
  )
  const placed = files.flatMap((item) => (item.key === undefined ? [item] : stored.splice(0, 1)))
  return [...placed, ...stored]
}

/** Describes stored files as the app knows them now, where that is not what it knew before; else the same items. */
export const describeAnew = (
  files: ReadonlyArray<UploadItem>,
  known: ReadonlyArray<InitialFile>,
  before: ReadonlyArray<InitialFile> = [],
): ReadonlyArray<UploadItem> =>
  files.map((item) => {
    const find = (list: typeof known) => list.find(({ key }) => key === item.key)
    const file = item.file === undefined ? find(known) : undefined
    const old = find(before)
    const isSame = (["name", "size", "type", "previewUrl"] as const).every((part) => file?.[part] === old?.[part])
    return file === undefined || (old !== undefined && isSame) ? item : createStoredItem(file)
  })
