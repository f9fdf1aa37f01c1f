import type { ResumeStore } from "../client/resume/resume-store.ts"

/** By which files can be opened again, so that one that is made anew under another name can be, too. */
const handles = new WeakMap<File, FileSystemFileHandle>()

type Attach = ResumeStore["attachHandle"]

/** Attaches handles to files, and keeps them for {@link passHandle}. */
export const keepHandles = (resumeStore: ResumeStore | undefined): Attach | undefined =>
  resumeStore &&
  ((file, handle) => {
    handles.set(file, handle)
    resumeStore.attachHandle(file, handle)
  })

/** Gives a file the handle of the one that it was made of. */
export const passHandle = (from: File, to: File, resumeStore: ResumeStore | undefined): void => {
  const handle = handles.get(from)
  if (handle !== undefined) keepHandles(resumeStore)?.(to, handle)
}
