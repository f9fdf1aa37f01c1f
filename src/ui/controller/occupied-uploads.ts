import type { ResumeStore } from "../../client/resume/resume-store.ts"
import type { ChosenItem } from "./upload-item.ts"

/**
 * The files of a list whose uploads may still go on. While the list is on its page, the resume store offers them to
 * nobody else.
 */
export interface OccupiedUploads {
  /** From when it is sent on, until it is done or cancelled, or has left the list. */
  readonly add: (item: ChosenItem, store: ResumeStore | undefined) => void
  readonly remove: (item: { readonly id: string }) => void
  /** The list is on a page. @returns it is gone, and whoever finds an upload of it may resume it */
  readonly connect: () => () => void
}

export const createOccupiedUploads = (): OccupiedUploads => {
  interface Entry {
    readonly file: File
    readonly store: ResumeStore
    leave?: (() => void) | undefined
  }
  const entries = new Map<string, Entry>()
  let isConnected = false
  const occupy = (entry: Entry) => {
    if (isConnected) entry.leave = entry.store.occupy?.(entry.file)
  }
  const remove: OccupiedUploads["remove"] = ({ id }) => {
    entries.get(id)?.leave?.()
    entries.delete(id)
  }
  return {
    add: (item, store) => {
      remove(item)
      if (store === undefined) return
      const entry = { file: item.file, store }
      entries.set(item.id, entry)
      occupy(entry)
    },
    remove,
    connect: () => {
      isConnected = true
      entries.forEach(occupy)
      return () => {
        isConnected = false
        for (const { leave } of entries.values()) leave?.()
      }
    },
  }
}
