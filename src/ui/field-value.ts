import { describeAnew, isSameList, placeKeys } from "./place-keys.ts"
import { listInitial, listKeys } from "./stored-files.ts"
import type { UploadItem } from "./upload-state.ts"
import type { AnyComponentOptions, InitialFile } from "./upload-component-options.ts"

/** The stored files of a component, as it and its page have them: `value`, `onValueChange` and `initialFiles`. */
export interface FieldValue {
  /** The files that were stored before. */
  readonly listInitial: () => ReadonlyArray<UploadItem>
  /** Keeps what stored files are called: a form that is reset names them again by key. */
  readonly remember: (files: ReadonlyArray<UploadItem>) => void
  /** Tells the page which stored files are listed, if these are others than it knows. */
  readonly tell: (files: ReadonlyArray<UploadItem>) => void
  /** The page knows which stored files are listed. */
  readonly accept: (files: ReadonlyArray<UploadItem>) => void
  /**
   * Makes of a list what the page has made of its options: another value, and files that it knows more of than before.
   *
   * @param before the options that these files were listed by
   * @returns the same object where nothing is new
   */
  readonly follow: (files: ReadonlyArray<UploadItem>, before: AnyComponentOptions) => ReadonlyArray<UploadItem>
}

const toKeys = (files: ReadonlyArray<InitialFile> = []): ReadonlyArray<string> => files.map(({ key }) => key)

/**
 * @param options the component's latest
 * @param listed  the files that the page knows to be listed
 */
export const createFieldValue = (options: () => AnyComponentOptions, listed: ReadonlyArray<UploadItem>): FieldValue => {
  /** Stored files that were listed once. */
  const known = new Map<string, InitialFile>()
  /** As the page knows them. */
  let keys = listKeys(listed)

  const accept: FieldValue["accept"] = (files) => {
    keys = listKeys(files)
  }
  const remember: FieldValue["remember"] = (files) => {
    for (const { key, name, size, type } of files) if (key !== undefined) known.set(key, { key, name, size, type })
  }
  return {
    accept,
    remember,
    listInitial: () => listInitial(options(), known.values()),
    tell: (files) => {
      if (isSameList(listKeys(files), keys)) return
      accept(files)
      options().onValueChange?.([...keys])
    },
    follow: (files, before) => {
      const { value, initialFiles = [] } = options()
      const isChanged = value !== undefined && !(before.value && isSameList(value, before.value))
      const isLate = value === undefined && before.initialFiles === undefined
      // Nobody has touched it: as inputs follow their `defaultValue`.
      const isUntouched =
        value === undefined &&
        files.every(({ key }) => key !== undefined) &&
        isSameList(listKeys(files), toKeys(before.initialFiles))
      const wanted = isChanged ? value : isUntouched ? toKeys(initialFiles) : listKeys(files)
      const late = isLate ? toKeys(initialFiles) : []
      if (isChanged) remember(files)
      const described = [...initialFiles, ...(isChanged ? known.values() : [])]
      const next = describeAnew(placeKeys(files, [...late, ...wanted], described), initialFiles, before.initialFiles)
      accept(next)
      const isSame = next.length === files.length && next.every((item, index) => item === files[index])
      return isSame ? files : next
    },
  }
}
