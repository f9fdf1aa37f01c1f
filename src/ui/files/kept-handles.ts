import type { PickedHandle, ResumeStore } from "../../client/resume/resume-store.ts"

/** Handles with which files can be opened again, so that a file that is made anew under another name keeps its handle. */
const handles = new WeakMap<File, PickedHandle>()

type Attach = ResumeStore["attachHandle"]

/** Attaches handles to files, and keeps them for {@link passHandle}. */
export const keepHandles = (resumeStore: ResumeStore | undefined): Attach | undefined =>
  resumeStore &&
  ((file, handle) => {
    handles.set(file, handle)
    resumeStore.attachHandle(file, handle)
  })

/** Gives a file the handle of the file that it was made from. */
export const passHandle = (from: File, to: File, resumeStore: ResumeStore | undefined): void => {
  const handle = handles.get(from)
  if (handle !== undefined) keepHandles(resumeStore)?.(to, handle)
}
