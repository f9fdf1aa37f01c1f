/**
 * On Windows a folder cannot be flushed (EPERM): NTFS writes changes of names to its own journal, in order, so that
 * after a crash a folder has the names of one moment, only not always those of the last second.
 */
const isNeeded = (): boolean => process.platform !== "win32"

/** Makes the names in a folder durable. Fails: rejects with the system's error. */
export const flushFolder = async (path: string): Promise<void> => {
  if (!isNeeded()) return
  const handle = await process.getBuiltinModule("node:fs/promises").open(path, "r")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/** The same on the calling thread. Fails: throws the system's error. */
export const flushFolderSync = (path: string): void => {
  if (!isNeeded()) return
  const { closeSync, fsyncSync, openSync } = process.getBuiltinModule("node:fs")
  const folder = openSync(path, "r")
  try {
    fsyncSync(folder)
  } finally {
    closeSync(folder)
  }
}
