import type { ResumeLocks } from "./resume-locks.ts"

/** The remembered uploads that this page shows, or sends. */
export interface ShownUploads {
  /** The lock that this page holds while it shows any: stands for the page in records. */
  readonly page: string
  /** This file is remembered under a fingerprint. */
  readonly know: (file: File, id: string) => void
  /** It is not, any more. */
  readonly forget: (file: File) => void
  /** The page shows the upload of a file. @returns the page does not, any more */
  readonly occupy: (file: File) => () => void
  readonly has: (file: File) => boolean
  /** Fingerprints of those that are shown and remembered. */
  readonly ids: () => ReadonlySet<string>
  /** The page sends a file, whether it shows it or not: it holds the lock of {@link toSender} meanwhile. @returns ends that: call it once */
  readonly send: () => () => void
}

/**
 * The lock that a page holds while it sends anything. That of the upload itself is not for waiting: who sends it on would have
 * to wait for those who wait.
 */
export const toSender = (page: string): string => `${page}+`

/** @param changed called when a page shows an upload that is remembered, or no longer does */
export const createShownUploads = ({ hold }: ResumeLocks, changed: () => void): ShownUploads => {
  const page = `page:${Math.random()}`
  const idOf = new WeakMap<File, string>()
  /** How many show each file. */
  const shown = new Map<File, number>()
  let release = () => {}
  let sent = 0
  let releaseSender = () => {}
  const tell = (file: File) => {
    if (idOf.has(file)) changed()
  }
  return {
    page,
    know: (file, id) => void idOf.set(file, id),
    forget: (file) => void idOf.delete(file),
    occupy: (file) => {
      if (shown.size === 0) release = hold(page)
      shown.set(file, (shown.get(file) ?? 0) + 1)
      // A list that comes back to its page, say.
      tell(file)
      let isLeft = false
      return () => {
        if (isLeft) return
        isLeft = true
        const others = shown.get(file)! - 1
        if (others > 0) shown.set(file, others)
        else shown.delete(file)
        if (shown.size === 0) release()
        tell(file)
      }
    },
    has: (file) => shown.has(file),
    ids: () => new Set([...shown.keys()].flatMap((file) => idOf.get(file) ?? [])),
    send: () => {
      if (sent++ === 0) releaseSender = hold(toSender(page))
      return () => {
        if (--sent === 0) releaseSender()
      }
    },
  }
}
