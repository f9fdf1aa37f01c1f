import { createStoredItem } from "./stored-files.ts"
import type { InitialFile } from "../controller/upload-component-options.ts"
import type { UploadItem } from "../controller/upload-state.ts"

export const isSameList = (a: ReadonlyArray<string>, b: ReadonlyArray<string>): boolean =>
  a.length === b.length && a.every((key, index) => key === b[index])

/** The first of each key. */
const byKey = <A extends { readonly key?: string | undefined }>(all: ReadonlyArray<A>): ReadonlyMap<unknown, A> =>
  new Map(all.toReversed().map((each) => [each.key, each]))

/**
 * Sets the stored files of a list to those with the given keys, in that order. Files that are not stored yet keep
 * their place; an unknown key is shown as the file's name.
 */
export const placeKeys = (
  files: ReadonlyArray<UploadItem>,
  keys: ReadonlyArray<string>,
  known: ReadonlyArray<InitialFile> = [],
): ReadonlyArray<UploadItem> => {
  const listed = byKey(files)
  const described = byKey(known)
  const stored = [...new Set(keys)].map(
    (key) => listed.get(key) ?? createStoredItem(described.get(key) ?? { key, name: key }),
  )
  let next = 0
  const placed = files.flatMap((item) =>
    item.key === undefined ? [item] : next < stored.length ? [stored[next++]!] : [],
  )
  return [...placed, ...stored.slice(next)]
}

/** Updates stored files to what the app now says of them; returns the same items where nothing has changed. */
export const describeAnew = (
  files: ReadonlyArray<UploadItem>,
  known: ReadonlyArray<InitialFile>,
  before: ReadonlyArray<InitialFile> = [],
): ReadonlyArray<UploadItem> => {
  const now = byKey(known)
  const then = byKey(before)
  return files.map((item) => {
    const file = item.file === undefined ? now.get(item.key) : undefined
    const old = then.get(item.key)
    const isSame = (["name", "size", "type", "previewUrl"] as const).every((part) => file?.[part] === old?.[part])
    return file === undefined || (old !== undefined && isSame) ? item : createStoredItem(file)
  })
}
