import type { ResumeLocks } from "./resume-locks.ts"

/** The remembered uploads that this page shows. */
export interface ShownUploads {
  /** The lock that this page holds while it shows any: stands for the page in records. */
  readonly page: string
  /** This file is remembered under a fingerprint. */
  readonly know: (file: File, id: string) => void
  /** It is not, any more. */
  readonly forget: (file: File) => void
  /** The page shows the upload of a file. @returns the page does not, any more */
  readonly occupy: (file: File) => () => void
  /** Fingerprints of those that are shown and remembered. */
  readonly ids: () => ReadonlySet<string>
}

/** @param left called when a page no longer shows an upload that is remembered */
export const createShownUploads = ({ hold }: ResumeLocks, left: () => void): ShownUploads => {
  const page = `page:${Math.random()}`
  const idOf = new WeakMap<File, string>()
  /** The files of those who show them: several may show one. */
  const shown = new Map<object, File>()
  let release = () => {}
  return {
    page,
    know: (file, id) => void idOf.set(file, id),
    forget: (file) => void idOf.delete(file),
    occupy: (file) => {
      const self = {}
      if (shown.size === 0) release = hold(page)
      shown.set(self, file)
      return () => {
        if (!shown.delete(self)) return
        if (shown.size === 0) release()
        if (idOf.has(file)) left()
      }
    },
    ids: () => new Set([...shown.values()].flatMap((file) => idOf.get(file) ?? [])),
  }
}
