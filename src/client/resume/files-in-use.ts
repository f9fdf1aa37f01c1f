import { createLimit } from "./create-limit.ts"

/** Which file of this page is remembered under a fingerprint, which other files may have, too. */
export interface FilesInUse {
  /** Whether a file may be remembered: no other one of this page is. */
  readonly isFree: (id: string, file: File) => boolean
  /**
   * Whether a file has to be uploaded by itself: another one of this page is being sent, or waits with other content. One that
   * waits with the same content is the same file, chosen again.
   */
  readonly isApart: (id: string, file: File) => Promise<boolean>
  /**
   * From now on this file is remembered, by an entry of it: another one with the same content that waits gives way. Other
   * entries of the same file keep it.
   */
  readonly take: (id: string, file: File, entry: object) => void
  /** Does the work, during which the file is being sent. */
  readonly sending: <A>(id: string, file: File, work: () => Promise<A>) => Promise<A>
  /** An entry remembers its file no longer. What it has remembered has to be removed before, or another file would find it. */
  readonly release: (id: string, entry: object) => void
}

/** Bytes that are compared at a time. */
const step = 4 * 1024 * 1024

const limited = createLimit()

/** Whether two files of one size have the same bytes. One that cannot be read has others. */
const haveSameContent = async (one: File, other: File): Promise<boolean> => {
  try {
    for (let at = 0; at < one.size; at += step) {
      const parts = await limited(Promise.all([one, other].map((file) => file.slice(at, at + step).arrayBuffer())))
      const [left, right] = parts.map((part) => new Uint8Array(part))
      if (left!.length !== right!.length) return false
      // Several times as fast as a function for each byte.
      for (let index = 0; index < left!.length; index++) if (left![index] !== right![index]) return false
    }
    return true
  } catch {
    return false
  }
}

export const createFilesInUse = (): FilesInUse => {
  const files = new Map<string, { readonly file: File; readonly entries: Set<object>; isSent: boolean }>()
  const set = (id: string, file: File, isSent: boolean) => {
    const used = files.get(id)
    if (used?.file === file) used.isSent = isSent
  }
  return {
    isFree: (id, file) => (files.get(id)?.file ?? file) === file,
    isApart: async (id, file) => {
      const other = files.get(id)
      if (other === undefined || other.file === file) return false
      // While they are compared the other one may end, and leave its place to a third.
      return other.isSent || !(await haveSameContent(other.file, file)) || other.isSent || files.get(id) !== other
    },
    take: (id, file, entry) => {
      const used = files.get(id)
      if (used?.file === file) used.entries.add(entry)
      else files.set(id, { file, entries: new Set([entry]), isSent: false })
    },
    sending: async (id, file, work) => {
      set(id, file, true)
      try {
        return await work()
      } finally {
        set(id, file, false)
      }
    },
    release: (id, entry) => {
      const entries = files.get(id)?.entries
      if (entries?.delete(entry) && entries.size === 0) files.delete(id)
    },
  }
}
