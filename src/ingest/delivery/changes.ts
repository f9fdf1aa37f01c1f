/** What an app returned for a file, as the catalog keeps it now. */
export interface KeptData {
  /** Of the file. */
  readonly id: number
  /** JSON text. */
  readonly data: string
}

/** Watches one key; a change between two calls of `next` is not missed. */
export interface Watch {
  /** Resolves with the newest data, where a change told them. */
  readonly next: () => Promise<KeptData | undefined>
  readonly close: () => void
}

/** Tells those who wait, in this process, that something about a file has changed. What has changed is in the catalog. */
export interface Changes {
  /** With data they need not read the catalog. */
  readonly notify: (key: string, kept?: KeptData) => void
  readonly watch: (key: string) => Watch
  /** Wakes everybody because the ingest is about to stop. Those who wait for something in progress may keep waiting. */
  readonly drain: () => void
  readonly isDraining: () => boolean
  /** Wakes everybody for the last time because the ingest stops. */
  readonly close: () => void
  readonly isClosed: () => boolean
}

export const createChanges = (): Changes => {
  const watchers = new Map<string, Set<(kept?: KeptData) => void>>()
  let isDraining = false
  let isClosed = false
  const wakeAll = (): void => {
    for (const set of watchers.values()) for (const wake of set) wake()
  }
  return {
    notify: (key, kept) => {
      for (const wake of watchers.get(key) ?? []) wake(kept)
    },
    watch: (key) => {
      let change = Promise.withResolvers<void>()
      let newest: KeptData | undefined
      const wake = (kept?: KeptData) => {
        newest = kept ?? newest
        change.resolve()
      }
      const set = watchers.get(key) ?? new Set()
      watchers.set(key, set.add(wake))
      return {
        next: async () => {
          await change.promise
          change = Promise.withResolvers()
          const told = newest
          newest = undefined
          return told
        },
        close: () => {
          set.delete(wake)
          if (set.size === 0 && watchers.get(key) === set) watchers.delete(key)
        },
      }
    },
    drain: () => {
      isDraining = true
      wakeAll()
    },
    isDraining: () => isDraining,
    close: () => {
      isDraining = isClosed = true
      wakeAll()
    },
    isClosed: () => isClosed,
  }
}
