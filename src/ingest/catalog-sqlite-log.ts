/** SQLite's write-ahead log, as a file that can be flushed. */
export interface WriteAheadLog {
  /** Resolves when all that was committed before the call is on disk. */
  readonly flush: () => Promise<void>
  readonly close: () => Promise<void>
}

/**
 * Opens the log of a database whose connection is open and has written.
 *
 * The log keeps its file for as long as a connection is open: a checkpoint makes SQLite write it from its start again,
 * after it has flushed what it moved into the database.
 */
export const openLog = (path: string): WriteAheadLog => {
  const fs = process.getBuiltinModule("node:fs")
  const { dirname } = process.getBuiltinModule("node:path")
  const descriptor = fs.openSync(path, "r+")
  // The name of the log has to outlive a crash as well.
  const folder = fs.openSync(dirname(path), "r")
  fs.fsyncSync(folder)
  fs.closeSync(folder)
  return {
    flush: () =>
      new Promise((resolve, reject) => {
        fs.fdatasync(descriptor, (cause) => (cause === null ? resolve() : reject(cause)))
      }),
    close: async () => fs.closeSync(descriptor),
  }
}
