import type { DatabaseSync } from "node:sqlite"
import { closeAll } from "../../close-all.ts"
import { makeFolder } from "../disk/make-folder.ts"
import { createGroupCommit, type GroupCommit } from "./group-commit.ts"
import { openLog } from "./log.ts"
import { type PlaceWatch, watchPlaces } from "./place-watch.ts"

/** A database whose writes are durable when they have resolved. */
export interface OpenDatabase {
  readonly database: DatabaseSync
  readonly group: GroupCommit
  /** Whether the file is where it was: each group looks before any of its writes has resolved. */
  readonly places: PlaceWatch
  /** Waits until everything is on disk, then for `before`, then closes. */
  readonly close: (before?: () => Promise<void> | void) => Promise<void>
}

/**
 * Makes an empty database that only this user may read; its log gets the same mode. An existing file is not even
 * opened: closing it would release the locks of every connection of this process.
 */
const makeFile = (file: string): void => {
  const { closeSync, openSync } = process.getBuiltinModule("node:fs")
  try {
    closeSync(openSync(file, "wx", 0o600))
  } catch (cause) {
    if ((cause as { code?: string }).code !== "EEXIST") throw cause
  }
}

/**
 * Opens an SQLite file in WAL mode, made when missing, for this user alone; `:memory:` is one without a file.
 *
 * SQLite itself flushes its log only before a checkpoint (`synchronous = NORMAL`), so it is flushed after each group of
 * transactions, off the calling thread (docs/decisions/013).
 *
 * @param first   pragmas that have to come before anything is written
 * @param prepare makes the tables, and sets what is particular to this database; it has to write
 * @param beside  further files that this process has open: no write resolves once one of them is gone from its path, as none does
 *                once the database itself is
 */
export const openDatabase = (
  file: string,
  {
    first = "",
    prepare,
    beside = [],
  }: {
    readonly first?: string
    readonly prepare: (database: DatabaseSync) => void
    readonly beside?: ReadonlyArray<string>
  },
): OpenDatabase => {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const { dirname } = process.getBuiltinModule("node:path")
  const isDurable = file !== ":memory:"
  if (isDurable) {
    makeFolder(dirname(file))
    makeFile(file)
  }
  const database = new DatabaseSync(file)
  try {
    database.exec(`PRAGMA busy_timeout = 5000; ${first}`)
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    prepare(database)
  } catch (cause) {
    database.close()
    throw cause
  }
  const log = isDurable ? openLog(database, `${file}-wal`) : undefined
  // Without the last of the three another process that opens the database makes its own, and with it locks of its own.
  const places = watchPlaces(isDurable ? [file, `${file}-wal`, `${file}-shm`, ...beside] : beside)
  const group = createGroupCommit(database, async () => {
    await log?.flush()
    places.check()
  })
  return {
    database,
    group,
    places,
    close: async (before = () => {}) => {
      await closeAll([group.close, before, async () => log?.close(), () => database.close()])
    },
  }
}
