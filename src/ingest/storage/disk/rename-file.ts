/** How Windows says that somebody has a file open and lets nobody rename it meanwhile. */
const inUse: ReadonlySet<string | undefined> = new Set(["EACCES", "EBUSY", "EPERM"])

/** How long it is tried on Windows, ms, and the pause in between. */
const [patience, pause] = [5000, 50]

/**
 * Renames a file. On Windows virus scanners and the search index open files that were just written, for some
 * milliseconds, and until they are done no file can be renamed: there it is tried again for 5 seconds.
 *
 * Fails: rejects with the system's error.
 */
export const renameFile = async (from: string, to: string): Promise<void> => {
  const { rename } = process.getBuiltinModule("node:fs/promises")
  const end = performance.now() + patience
  for (;;) {
    try {
      return await rename(from, to)
    } catch (cause) {
      const isOver = process.platform !== "win32" || performance.now() > end
      if (isOver || !inUse.has((cause as { code?: string }).code)) throw cause
    }
    await new Promise((resolve) => setTimeout(resolve, pause))
  }
}
