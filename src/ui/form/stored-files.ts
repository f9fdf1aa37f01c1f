import { toShownName } from "../files/shown-name.ts"
import type { InitialFile, UploadFieldOptions } from "../controller/upload-component-options.ts"
import type { UploadItem } from "../controller/upload-state.ts"

/** Lists a file that was stored before. The same on a server and in its page. */
export const createStoredItem = ({ key, name, size, type = "", previewUrl, isHeld }: InitialFile): UploadItem => ({
  id: key,
  key,
  name: toShownName(name),
  size,
  type,
  file: undefined,
  status: "done",
  progress: 100,
  loaded: size ?? 0,
  previewUrl,
  isHeld,
})

/**
 * Lists the stored files that a component begins with: those of its value, otherwise its initial ones. An unknown key
 * is shown as the file's name.
 *
 * @param known further details of stored files
 */
export const listInitial = (
  { value, initialFiles = [] }: UploadFieldOptions,
  known: Iterable<InitialFile> = [],
): ReadonlyArray<UploadItem> => {
  const described = new Map([...known, ...initialFiles].map((file) => [file.key, file]))
  const keys = new Set(value ?? initialFiles.map(({ key }) => key))
  return [...keys].map((key) => createStoredItem(described.get(key) ?? { key, name: key }))
}

/** Keys of the files that are stored, in the order of the list. */
export const listKeys = (files: ReadonlyArray<UploadItem>): ReadonlyArray<string> =>
  files.map(({ key }) => key).filter((key) => key !== undefined)
