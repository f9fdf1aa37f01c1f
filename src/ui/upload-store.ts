import { isActive, toProgress, toStatus, type UploadItem, type UploadState } from "./upload-state.ts"

/** The state of one component, and who wants to know when it changes. */
export interface UploadStore {
  /** The same object until something changes. */
  readonly get: () => UploadState
  readonly set: (patch: Partial<UploadState>) => void
  /** Replaces the list; what follows from it is worked out anew. */
  readonly setFiles: (files: ReadonlyArray<UploadItem>) => void
  /** Changes one file, if it is still listed. Listeners are told within a frame; at once where `status` changes. */
  readonly change: (id: string, patch: Partial<UploadItem>) => void
  readonly find: (id: string) => UploadItem | undefined
  /** From here on the progress of these files counts together; earlier ones no longer, unless some are on their way. */
  readonly count: (items: ReadonlyArray<UploadItem>) => void
  readonly subscribe: (listener: () => void) => () => void
}

/** Of a screen, ms: nobody sees more often what has changed. */
const frame = 16

/** Makes the store of one component. */
export const createUploadStore = (initial: UploadState): UploadStore => {
  const listeners = new Set<() => void>()
  let counted: ReadonlySet<string> = new Set()
  let state = initial
  let timer: ReturnType<typeof setTimeout> | undefined
  let isDue = false

  const notify = () => {
    isDue = false
    for (const listener of listeners) listener()
  }
  /** A thousand files that move at once must not be a thousand renderings. */
  const notifySoon = () => {
    isDue = true
    if (timer !== undefined) return
    notify()
    timer = setTimeout(() => {
      timer = undefined
      if (isDue) notifySoon()
    }, frame)
  }
  const set: UploadStore["set"] = (patch) => {
    state = { ...state, ...patch }
    notify()
  }
  const toState = (files: ReadonlyArray<UploadItem>): UploadState => ({
    ...state,
    files,
    status: toStatus(files),
    isUploading: files.some(isActive),
    progress: toProgress(files.filter(({ id }) => counted.has(id))),
  })
  return {
    get: () => state,
    set,
    setFiles: (files) => {
      const left = new Set(files.map(({ previewUrl }) => previewUrl))
      for (const { previewUrl } of state.files) {
        if (previewUrl !== undefined && !left.has(previewUrl)) URL.revokeObjectURL(previewUrl)
      }
      set(toState(files))
    },
    change: (id, patch) => {
      const { status } = state
      state = toState(state.files.map((item) => (item.id === id ? { ...item, ...patch } : item)))
      // Whoever has waited for the end finds the page, and a form, in step with it.
      if (state.status === status) notifySoon()
      else notify()
    },
    find: (id) => state.files.find((item) => item.id === id),
    count: (items) => {
      const isBusy = state.files.some((item) => isActive(item) || item.status === "paused")
      counted = new Set([...(isBusy ? counted : []), ...items.map(({ id }) => id)])
    },
    subscribe: (listener) => {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
  }
}
