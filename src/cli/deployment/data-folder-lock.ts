import { readFile, stat } from "node:fs/promises"
import { join } from "node:path"
import type { DatabaseSync } from "node:sqlite"
import { CommandFailure, describeSystemError } from "../command-failure.ts"
import type { DataFolder } from "./deployment.ts"

/** The file that is locked. */
export const lockFile = ({ path }: Pick<DataFolder, "path">): string => join(path, "lock.sqlite")

/**
 * Locks a data folder for the ingest in this process, until the returned function is called or the process ends, in
 * whatever way.
 *
 * The lock is the operating system's, on the empty database `lock.sqlite`, because Node offers no other lock. Nothing
 * else is kept in there, so that the catalog itself stays open to commands that read it.
 *
 * @param busy the message when another process has the lock
 *
 * Fails: throws a {@link CommandFailure} when another process has the lock.
 */
export const lockDataFolder = (
  path: string,
  busy = `Another ingest is running on the data folder ${path}. Stop it, or give this one a folder of its own with --data.`,
): (() => void) => {
  const file = lockFile({ path })
  // Loaded only here, because on some versions of Node loading it prints a warning.
  const sqlite = process.getBuiltinModule("node:sqlite")
  let database: DatabaseSync | undefined
  try {
    database = new sqlite.DatabaseSync(file)
    // A journal on the disk would have no room there where it is full.
    database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE")
    const held = database
    return () => {
      if (held.isOpen) held.close()
    }
  } catch (error) {
    database?.close()
    const isBusy = (error as { errcode?: number }).errcode === sqliteBusy
    throw new CommandFailure(
      isBusy ? busy : `The folder ${path} cannot be locked: ${file}: ${describeSystemError(error)}.`,
    )
  }
}

/** Source: sqlite.org/rescode.html. */
const sqliteBusy = 5

/** Whether a process runs an ingest on a data folder, or restores a backup into it. Takes no lock and makes no file. */
export const isDataFolderLocked = (path: string): boolean => {
  const sqlite = process.getBuiltinModule("node:sqlite")
  let database: DatabaseSync | undefined
  try {
    database = new sqlite.DatabaseSync(lockFile({ path }), { readOnly: true })
    database.exec("PRAGMA busy_timeout = 0")
    database.prepare("SELECT count(*) FROM sqlite_master").get()
    return false
  } catch (error) {
    return (error as { errcode?: number }).errcode === sqliteBusy
  } finally {
    database?.close()
  }
}

/**
 * The process that holds the lock of a data folder, as far as Linux tells (not across containers); otherwise
 * undefined.
 * Source: proc_locks(5).
 */
export const findLockHolder = async (path: string): Promise<number | undefined> => {
  const [locks, inode] = await Promise.all([
    readFile("/proc/locks", "utf8").catch(() => ""),
    stat(lockFile({ path })).then(
      ({ ino }) => String(ino),
      () => undefined,
    ),
  ])
  for (const line of locks.split("\n")) {
    const [, type, , access, pid, file = ""] = line.trim().split(/\s+/)
    if (type === "POSIX" && access === "WRITE" && file.split(":")[2] === inode && Number(pid) > 0) return Number(pid)
  }
  return undefined
}
