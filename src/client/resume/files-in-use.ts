/** Which file of this page is remembered under a fingerprint, which other files may have, too. */
export interface FilesInUse {
  /** Whether a file may be remembered: no other one of this page is. */
  readonly isFree: (id: string, file: File) => boolean
  /**
   * Whether a file has to be uploaded by itself: another one of this page is being sent, or waits with other content. One that
   * waits with the same content is the same file, chosen again.
   */
  readonly isApart: (id: string, file: File) => Promise<boolean>
  /** From now on this file is remembered: another one with the same content that waits gives way. */
  readonly take: (id: string, file: File) => void
  /** Does the work, during which the file is being sent. */
  readonly sending: <A>(id: string, file: File, work: () => Promise<A>) => Promise<A>
  readonly release: (id: string, file: File) => void
}

/** Bytes that are compared at a time. */
const step = 4 * 1024 * 1024

/** Whether two files of one size have the same bytes. One that cannot be read has others. */
const haveSameContent = async (one: File, other: File): Promise<boolean> => {
  try {
    for (let at = 0; at < one.size; at += step) {
      const parts = await Promise.all([one, other].map((file) => file.slice(at, at + step).arrayBuffer()))
      const [left, right] = parts.map((part) => new Uint8Array(part))
      if (left!.length !== right!.length || left!.some((byte, index) => byte !== right![index])) return false
    }
    return true
  } catch {
    return false
  }
}

export const createFilesInUse = (): FilesInUse => {
  const files = new Map<string, { readonly file: File; readonly isSent: boolean }>()
  const isFree = (id: string, file: File) => (files.get(id)?.file ?? file) === file
  const set = (id: string, file: File, isSent: boolean) => {
    if (isFree(id, file)) files.set(id, { file, isSent })
  }
  return {
    isFree,
    isApart: async (id, file) => {
      const other = files.get(id)
      if (other === undefined || other.file === file) return false
      return other.isSent || !(await haveSameContent(other.file, file)) || files.get(id)?.isSent === true
    },
    take: (id, file) => void files.set(id, { file, isSent: false }),
    sending: async (id, file, work) => {
      set(id, file, true)
      try {
        return await work()
      } finally {
        set(id, file, false)
      }
    },
    release: (id, file) => {
      if (files.get(id)?.file === file) files.delete(id)
    },
  }
}
