import { describeAnew, isSameList, placeKeys } from "./place-keys.ts"
import { listInitial, listKeys } from "./stored-files.ts"
import type { UploadItem } from "../controller/upload-state.ts"
import type { AnyComponentOptions, InitialFile } from "../controller/upload-component-options.ts"

/** The stored files of a component, as its page controls them: `value`, `onValueChange` and `initialFiles`. */
export interface FieldValue {
  /** The files that were stored at the beginning, for a list that begins anew. */
  readonly listInitial: () => ReadonlyArray<UploadItem>
  /** Remembers the names of stored files: a form that is reset names them again by key. */
  readonly remember: (files: ReadonlyArray<UploadItem>) => void
  /** The user has taken stored files out of the list: those that the page still has do not come back. */
  readonly takeOut: (files: ReadonlyArray<UploadItem>) => void
  /** The user has taken that back. */
  readonly putBack: (files: ReadonlyArray<UploadItem>) => void
  /** Tells the page which stored files are listed, if it wants to know, and that has changed for it. */
  readonly tell: (list: () => ReadonlyArray<UploadItem>) => void
  /** The page knows which stored files are listed. */
  readonly accept: (files: ReadonlyArray<UploadItem>) => void
  /**
   * Updates a list after the page has changed its options: another value, or more details of files.
   *
   * @param before   the options with which these files were listed
   * @param takesOne whether the route takes one file: another one does not come beside it
   * @returns the same object where nothing has changed
   */
  readonly follow: (
    files: ReadonlyArray<UploadItem>,
    before: AnyComponentOptions,
    takesOne: boolean,
  ) => ReadonlyArray<UploadItem>
  /**
   * Whether the page now shows another row with the same component, as routers do that keep a page from one address to the
   * next: what is listed belongs to the row before, and would be saved in this one.
   */
  readonly isOfAnother: (files: ReadonlyArray<UploadItem>, before: AnyComponentOptions) => boolean
}

/** Files that pages have taken out of the value. */
const withdrawn = new WeakSet<UploadItem>()

/** Whether it is the page that has taken a file out of its value, as after a save: the user has not removed it. */
export const isWithdrawn = (item: UploadItem): boolean => withdrawn.has(item)

const toKeys = (files: ReadonlyArray<InitialFile> = []): ReadonlyArray<string> => files.map(({ key }) => key)

/**
 * @param options the component's latest
 * @param listed  the files that the page knows are listed
 */
export const createFieldValue = (options: () => AnyComponentOptions, listed: ReadonlyArray<UploadItem>): FieldValue => {
  /** Stored files that were ever listed. */
  const known = new Map<string, InitialFile>()
  /** As the page knows them. */
  let keys = listKeys(listed)
  /** Of the last `initialFiles` that were any. */
  let initial: ReadonlyArray<string> = []
  /** What the user has taken out. */
  const out = new Set<string>()
  const learnInitial = () => {
    const { initialFiles } = options()
    if (initialFiles?.length) initial = toKeys(initialFiles)
  }
  learnInitial()

  const accept: FieldValue["accept"] = (files) => {
    keys = listKeys(files)
  }
  const remember: FieldValue["remember"] = (files) => {
    for (const { key, name, size, type, isHeld } of files)
      if (key !== undefined) known.set(key, { key, name, size, type, isHeld })
  }
  /**
   * The keys to list after the page has given other `initialFiles`. Of a list that the user has changed what the page does not have any
   * more goes, but for what was chosen here, which may not be saved yet; and what it has from elsewhere comes.
   */
  const followInitial = (
    files: ReadonlyArray<UploadItem>,
    isUntouched: boolean,
    takesOne: boolean,
  ): ReadonlyArray<string> => {
    const stored = toKeys(options().initialFiles)
    // That it was taken out is saved.
    if (stored.length > 0) for (const key of out) if (!stored.includes(key)) out.delete(key)
    const comes = stored.filter((key) => !out.has(key))
    if (isUntouched) return comes
    const now = listKeys(files)
    const isGone = (key: string) => stored.length > 0 && initial.includes(key) && !stored.includes(key)
    const left = now.filter((key) => !isGone(key) || files.some((item) => item.key === key && item.file))
    const fresh = takesOne && now.length > 0 ? [] : comes.filter((key) => !now.includes(key))
    // Those that the page begins with, and that come late, were there first.
    return initial.length === 0 ? [...fresh, ...left] : [...left, ...fresh]
  }

  return {
    accept,
    remember,
    takeOut: (files) => {
      remember(files)
      listKeys(files).forEach((key) => out.add(key))
    },
    putBack: (files) => listKeys(files).forEach((key) => out.delete(key)),
    isOfAnother: (files, before) => {
      const { value, initialFiles } = options()
      // A page that still loads lists nothing for a while.
      if (value !== undefined || initialFiles === before.initialFiles || !initialFiles?.length) return false
      const next = toKeys(initialFiles)
      const now = listKeys(files)
      // A row that was saved, here or elsewhere, has some of its files still, or has those that are listed.
      return initial.length > 0 && next.every((key) => !initial.includes(key) && !now.includes(key))
    },
    listInitial: () => {
      learnInitial()
      out.clear()
      return listInitial(options(), known.values())
    },
    tell: (list) => {
      if (options().onValueChange === undefined) return
      const files = list()
      if (isSameList(listKeys(files), keys)) return
      accept(files)
      options().onValueChange?.([...keys])
    },
    follow: (files, before, takesOne) => {
      // Most renderings of a page change neither.
      if (options().value === before.value && options().initialFiles === before.initialFiles) return files
      const { value, initialFiles = [] } = options()
      const now = listKeys(files)
      const isChanged = value !== undefined && !(before.value && isSameList(value, before.value))
      // The user has not changed it: it then follows its option, as inputs follow their `defaultValue`.
      const isUntouched =
        value === undefined &&
        files.every(({ key }) => key !== undefined) &&
        isSameList(now, toKeys(before.initialFiles))
      const wanted = value === undefined ? followInitial(files, isUntouched, takesOne) : isChanged ? value : now
      learnInitial()
      if (isChanged) remember(files)
      const described = [...initialFiles, ...(isChanged ? known.values() : [])]
      const next = describeAnew(placeKeys(files, wanted, described), initialFiles, before.initialFiles)
      accept(next)
      const left = new Set(next.map(({ id }) => id))
      for (const item of files) if (!left.has(item.id)) withdrawn.add(item)
      const isSame = next.length === files.length && next.every((item, index) => item === files[index])
      return isSame ? files : next
    },
  }
}
