import type { UploadSessions } from "../client/upload-sessions.ts"

/** By which files can be opened again, so that one that is made anew under another name can be, too. */
const handles = new WeakMap<File, FileSystemFileHandle>()

type Attach = UploadSessions["attachHandle"]

/** Attaches handles to files, and keeps them for {@link passHandle}. */
export const keepHandles = (sessions: UploadSessions | undefined): Attach | undefined =>
  sessions &&
  ((file, handle) => {
    handles.set(file, handle)
    sessions.attachHandle(file, handle)
  })

/** Gives a file the handle of the one that it was made of. */
export const passHandle = (from: File, to: File, sessions: UploadSessions | undefined): void => {
  const handle = handles.get(from)
  if (handle !== undefined) keepHandles(sessions)?.(to, handle)
}
