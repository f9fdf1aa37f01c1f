import type { PickedHandle } from "./resume-store.ts"

/** A handle, with a method that not every browser has. */
interface AskableHandle extends PickedHandle {
  readonly queryPermission?: (options: { readonly mode: "read" }) => Promise<PermissionState>
  readonly requestPermission?: (options: { readonly mode: "read" }) => Promise<PermissionState>
}

/** The handles of files that were picked or dropped in this page. */
export interface FileHandles {
  readonly attach: (file: File, handle: PickedHandle) => void
  readonly of: (file: File) => PickedHandle | undefined
  /** The file behind a handle, if it may be read and is still the same. Fails: never. */
  readonly reopen: (
    handle: PickedHandle,
    same: { readonly size: number; readonly lastModified: number },
  ) => Promise<File | undefined>
}

const mode = { mode: "read" } as const

/** Handles need no permission where the browser does not ask for one (the origin's own files). */
const mayRead = async (handle: AskableHandle): Promise<boolean> =>
  handle.queryPermission === undefined ||
  (await handle.queryPermission(mode)) === "granted" ||
  (await handle.requestPermission?.(mode)) === "granted"

export const createFileHandles = (): FileHandles => {
  const handles = new WeakMap<File, PickedHandle>()
  const attach: FileHandles["attach"] = (file, handle) => void handles.set(file, handle)
  return {
    attach,
    of: (file) => handles.get(file),
    reopen: async (handle, { size, lastModified }) => {
      try {
        if (!(await mayRead(handle))) return undefined
        const file = await handle.getFile()
        if (file.size !== size || file.lastModified !== lastModified) return undefined
        attach(file, handle)
        return file
      } catch {
        // it was moved or deleted, or this was not a click
        return undefined
      }
    },
  }
}
