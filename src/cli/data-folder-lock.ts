import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { CommandFailure, describeSystemError } from "./command-failure.ts"

/**
 * Makes this process the one that runs an ingest on a data folder, until the returned function is called or the process
 * ends, however it does.
 *
 * The lock is the operating system's, on the empty database `lock.sqlite`: Node has no other way to one. Nothing else
 * is kept in there, so that the catalog itself stays open to commands that read it.
 *
 * Fails: throws a {@link CommandFailure} when another process has it.
 */
export const lockDataFolder = (path: string): (() => void) => {
  const file = join(path, "lock.sqlite")
  // Loaded here: on some versions of Node loading it prints a warning.
  const sqlite = process.getBuiltinModule("node:sqlite")
  let database: DatabaseSync | undefined
  try {
    database = new sqlite.DatabaseSync(file)
    database.exec("PRAGMA busy_timeout = 0; BEGIN EXCLUSIVE")
    const held = database
    return () => {
      if (held.isOpen) held.close()
    }
  } catch (error) {
    database?.close()
    const isBusy = (error as { errcode?: number }).errcode === sqliteBusy
    throw new CommandFailure(
      isBusy
        ? `Another ingest is running on the data folder ${path}. Stop it, or give this one a folder of its own with --data.`
        : `The data folder ${path} cannot be locked: ${file}: ${describeSystemError(error)}.`,
    )
  }
}

/** Source: sqlite.org/rescode.html. */
const sqliteBusy = 5
