import type { DatabaseSync } from "node:sqlite"
import { CatalogError } from "../catalog/catalog.ts"
import { patience, pauseBetweenTries } from "./busy.ts"
import { flushFolderSync } from "../disk/flush-folder.ts"

/** SQLite's write-ahead log, as a file that can be flushed. */
export interface WriteAheadLog {
  /**
   * Resolves when everything that was committed before the call is on disk. Fails: rejects with the system's error, or
   * SQLite's.
   */
  readonly flush: () => Promise<void>
  /** Moves everything into the database, which gives the log's room back to the disk; whether it could, and there was any. */
  readonly empty: () => boolean
  readonly close: () => Promise<void>
}

/**
 * Opens the log of a database whose connection is open and has written.
 *
 * The log keeps its file for as long as a connection is open: after a checkpoint, SQLite writes it from its start
 * again, once it has flushed what it moved into the database.
 *
 * A flush that failed leaves doubt: the system may treat parts of the log as written that are not, and later commits
 * would be lost with them. A checkpoint then moves everything into the database, which SQLite flushes itself; until
 * one succeeds, nothing counts as flushed.
 */
export const openLog = (database: DatabaseSync, path: string): WriteAheadLog => {
  const fs = process.getBuiltinModule("node:fs")
  const { dirname } = process.getBuiltinModule("node:path")
  const descriptor = fs.openSync(path, "r+")
  // The name of the log has to survive a crash as well.
  flushFolderSync(dirname(path))
  let isInDoubt = false

  const flushFile = (): Promise<void> =>
    new Promise((resolve, reject) => {
      fs.fdatasync(descriptor, (cause) => (cause === null ? resolve() : reject(cause)))
    })

  const moveAll = async (): Promise<void> => {
    const until = performance.now() + patience
    while (database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy !== 0) {
      if (performance.now() >= until) {
        throw new CatalogError(
          "busy",
          `The log ${path} cannot be moved into the catalog: it is being read. Wait for its readers.`,
        )
      }
      await pauseBetweenTries()
    }
    isInDoubt = false
  }

  return {
    flush: async () => {
      if (isInDoubt) return moveAll()
      try {
        await flushFile()
      } catch {
        isInDoubt = true
        await moveAll()
      }
    },
    empty: () => {
      try {
        if (fs.fstatSync(descriptor).size === 0) return false
        return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.busy === 0
      } catch {
        return false
      }
    },
    close: async () => fs.closeSync(descriptor),
  }
}
