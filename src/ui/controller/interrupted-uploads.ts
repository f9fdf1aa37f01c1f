import type { InterruptedUpload, ResumeStore } from "../../client/resume/resume-store.ts"
import { belongsToForm } from "../form/belongs-to-form.ts"
import { passHandle } from "../files/kept-handles.ts"
import { nameFile } from "../files/rename-file.ts"
import type { AnyComponentOptions } from "./upload-component-options.ts"
import { oneAtATime } from "./one-at-a-time.ts"
import { type ChosenItem, isChosen, isSameFile } from "./upload-item.ts"
import type { UploadStore } from "./upload-store.ts"

/** An input as text, to be compared; undefined where it cannot be sent either. */
const toText = (input: unknown): string | undefined => {
  try {
    return JSON.stringify(input)
  } catch {
    return undefined
  }
}

/** Whether two inputs say the same. */
export const isSameInput = (a: unknown, b: unknown): boolean => a === b || toText(a) === toText(b)

/** The file of an interrupted upload that the user had renamed still has its old name on disk. */
export const nameAsBefore = (entry: InterruptedUpload, file: File, resumeStore: ResumeStore | undefined): File => {
  if (!isSameFile({ ...entry, name: file.name }, file) || entry.name === file.name) return file
  const named = nameFile(file, entry.name)
  passHandle(file, named, resumeStore)
  return named
}

/**
 * The uploads of one component's route, and of its input where it has one, that a reload has interrupted: those that can be resumed,
 * and the listed files that resume them.
 */
export interface InterruptedUploads {
  /** Checks again which uploads can be resumed. */
  readonly refresh: () => Promise<void>
  /** The resume store is another one. */
  readonly follow: () => void
  /** Call it in a page: uploads are only offered there. @returns stops it */
  readonly connect: () => () => void
  /** Listed files resume the uploads that they belong to. @returns the uploads that are still offered */
  readonly claim: (items: ReadonlyArray<ChosenItem>) => ReadonlyArray<InterruptedUpload>
  readonly isClaimed: (item: { readonly id: string }) => boolean
  /** The input that a claimed file was sent with. */
  readonly inputOf: (item: { readonly id: string }) => unknown
  readonly release: (item: { readonly id: string }) => void
  /** The file of an offered upload, if the browser can still open it. */
  readonly reopen: (id: string) => Promise<File | undefined>
  readonly discard: (id: string) => void
  /**
   * Takes files that were chosen to resume an upload. @returns the matching ones; none where all are other files, which
   * the user is asked about
   */
  readonly recognise: (id: string, files: Iterable<File>) => ReadonlyArray<File>
  /** Answers that question. @returns the files that should be uploaded as well */
  readonly answer: (isWanted: boolean) => ReadonlyArray<File>
}

/**
 * @param options  the component's latest options
 * @param resumeStore returns the latest store, which may be the setup's
 */
export const createInterruptedUploads = (
  store: UploadStore,
  options: () => AnyComponentOptions,
  resumeStore: () => ResumeStore | undefined,
): InterruptedUploads => {
  let isConnected = false
  /** By the id of the listed file. */
  const claimed = new Map<string, InterruptedUpload>()
  const find = (id: string) => store.get().interrupted.find((entry) => entry.id === id)

  /** Settles when all that the user has discarded until now is gone. */
  let removal: Promise<unknown> | undefined
  /** What was read before a removal was done would bring back what the user has discarded: then it is read again. */
  const list = async (asked: ResumeStore | undefined, endpoint: string): Promise<ReadonlyArray<InterruptedUpload>> => {
    for (;;) {
      const before = removal
      await before
      const entries = (await asked?.list(endpoint).catch(() => [])) ?? []
      if (before === removal) return entries
    }
  }

  const read = async () => {
    const asked = resumeStore()
    const { endpoint } = options()
    if (!isConnected) return
    const entries = await list(asked, endpoint)
    // By now it may be another user's store, or another route.
    if (asked !== resumeStore() || endpoint !== options().endpoint) return
    const { files, interrupted: shown, otherFile } = store.get()
    const listed = files.filter(isChosen).filter(({ status }) => status !== "aborted")
    const { input } = options()
    // One with another input is another row's, say, and its key would get into this one's form. A component without an input may give
    // one to each upload.
    const isOurs = (entry: InterruptedUpload) =>
      (!entry.isField || belongsToForm(options())) && (input === undefined || isSameInput(entry.input, input))
    const found = entries.filter((entry) => isOurs(entry) && !listed.some(({ file }) => isSameFile(entry, file)))
    // A page may make a new resume store whenever it renders: without changes there is no reason to render.
    const describe = (list: typeof shown) =>
      list.map(({ id, loaded, reopen }) => [id, loaded, reopen !== undefined].join()).join()
    if (describe(found) === describe(shown)) return
    const isAsked = found.some(({ id }) => id === otherFile?.id)
    store.set({ interrupted: found, otherFile: isAsked ? otherFile : undefined })
  }

  /** Each message of another tab asks for it. */
  let refresh = oneAtATime(read)
  let stop: (() => unknown) | undefined
  const follow = () => {
    stop?.()
    // It does not wait for another store.
    refresh = oneAtATime(read)
    // Any of them may be resumed or discarded elsewhere, also in another tab.
    stop = isConnected ? resumeStore()?.subscribe?.(() => void refresh()) : undefined
    void refresh()
  }

  return {
    refresh: () => refresh(),
    follow,
    connect: () => {
      isConnected = true
      follow()
      return () => {
        isConnected = false
        stop?.()
      }
    },
    claim: (items) =>
      store.get().interrupted.filter((entry) => {
        const item = items.find(({ file }) => isSameFile(entry, file))
        if (item !== undefined) claimed.set(item.id, entry)
        return item === undefined
      }),
    isClaimed: ({ id }) => claimed.has(id),
    inputOf: ({ id }) => claimed.get(id)?.input,
    release: ({ id }) => claimed.delete(id),
    reopen: async (id) => {
      const entry = find(id)
      const file = await entry?.reopen?.().catch(() => undefined)
      return entry && file && nameAsBefore(entry, file, resumeStore())
    },
    discard: (id) => {
      const hide = () => store.set({ interrupted: store.get().interrupted.filter((entry) => entry.id !== id) })
      // What the user has discarded is gone, even if the page is reloaded at once.
      removal = Promise.all([removal, resumeStore()?.remove(id).then(hide, hide)])
    },
    recognise: (id, incoming) => {
      const entry = find(id)
      const files = [...incoming].map((file) => (entry === undefined ? file : nameAsBefore(entry, file, resumeStore())))
      if (files.length === 0) return []
      const isOther = entry !== undefined && !files.some((file) => isSameFile(entry, file))
      store.set({ otherFile: isOther ? { id, files } : undefined })
      return isOther ? [] : files
    },
    answer: (isWanted) => {
      const { otherFile } = store.get()
      store.set({ otherFile: undefined })
      return isWanted && otherFile !== undefined ? otherFile.files : []
    },
  }
}
