import type { DatabaseSync } from "node:sqlite"
import { formatByteSize } from "../../../protocol/byte-size.ts"
import { closeAll } from "../../close-all.ts"
import { CatalogError } from "../catalog/catalog.ts"
import { makeFolder } from "../disk/make-folder.ts"
import { createGroupCommit, type GroupCommit } from "./group-commit.ts"
import { blockingWait, patience } from "./busy.ts"
import { leastRoom, toFreeRoom } from "../disk/free-room.ts"
import { isFull } from "./error.ts"
import { openLog, type WriteAheadLog } from "./log.ts"
import { createSpareRoom, freeOf, roomy, type SpareRoom } from "./spare-room.ts"
import { type PlaceWatch, watchPlaces } from "./place-watch.ts"

/** A database whose writes are durable when they have resolved. */
export interface OpenDatabase {
  readonly database: DatabaseSync
  readonly group: GroupCommit
  /** Whether the file is where it was: each group looks before any of its writes has resolved. */
  readonly places: PlaceWatch
  /** What is free where its file is, bytes; it then keeps spare room there, for when nothing is. Absent where there is no file. */
  readonly free?: () => Promise<number>
  /** Fails: throws a {@link CatalogError} `full` where the disk has no room for a page; nothing is written to find out. */
  readonly requireRoom: () => void
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

/** Bytes of a page, with what the log has beside it, and some more: file systems keep a little of what they say is free. */
const roomForPages = 16 * 1024

/** Bytes of a page. */
const pageSize = 4096

/** Pages after which the log is moved into the database while the disk is full: neither may take all of the spare room. */
const shortLog = 128

/** What {@link openDatabase} does beside opening a file. */
interface Opening {
  /** Sets what has to come before anything is written; it writes only to a database that is new or old. */
  readonly first?: ((database: DatabaseSync) => void) | undefined
  /** Makes the tables, and sets what is particular to this database; it reads it, and writes only where it has to. */
  readonly prepare: (database: DatabaseSync) => void
  /**
   * Further files that this process has open: no write resolves once one of them is gone from its path, as none does once the
   * database itself is.
   */
  readonly beside?: ReadonlyArray<string> | undefined
  /** Pages after which the log is moved into the database; SQLite's own default. */
  readonly longestLog?: number | undefined
}

const openFile = (file: string, { first = () => {}, prepare }: Opening): DatabaseSync => {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const database = new DatabaseSync(file)
  try {
    database.exec(`PRAGMA busy_timeout = ${patience}`)
    first(database)
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL")
    prepare(database)
    database.exec(`PRAGMA busy_timeout = ${blockingWait}`)
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

const fullDisk = (file: string, free: number, cause?: unknown): CatalogError =>
  new CatalogError(
    "full",
    `The disk of ${file} is full: ${formatByteSize(free)} are free, or it can hold no more files (inodes). Remove something there.`,
    cause,
  )

/** Opens a file, with the spare room of its folder where the disk is full. */
const openWithRoom = <A>(file: string, spareRoom: SpareRoom, open: () => A): A => {
  const { dirname } = process.getBuiltinModule("node:path")
  try {
    return open()
  } catch (cause) {
    const free = freeOf(dirname(file))
    if (!isFull(cause) && free >= leastRoom) throw cause
    if (spareRoom.release()) return openWithRoom(file, spareRoom, open)
    throw fullDisk(file, free, cause)
  }
}

/**
 * Opens an SQLite file in WAL mode, made when missing, for this user alone; `:memory:` is one without a file. An existing one of
 * the newest schema is not written to, so that it opens on a full disk.
 *
 * SQLite itself flushes its log only before a checkpoint (`synchronous = NORMAL`), so it is flushed after each group of
 * transactions, off the calling thread (docs/decisions/013).
 *
 * Fails: throws SQLite's error, or the system's; a {@link CatalogError} `full` where there is no room to open it.
 */
export const openDatabase = (file: string, opening: Opening): OpenDatabase => {
  const { beside = [], longestLog = 1000 } = opening
  const { dirname } = process.getBuiltinModule("node:path")
  const isDurable = file !== ":memory:"
  const folder = dirname(file)
  if (isDurable) makeFolder(folder)
  const spareRoom = isDurable ? createSpareRoom(folder) : undefined
  const open = (): { readonly database: DatabaseSync; readonly log?: WriteAheadLog } => {
    if (isDurable) makeFile(file)
    const database = openFile(file, opening)
    return isDurable ? { database, log: openLog(database, `${file}-wal`) } : { database }
  }
  const { database, log } = spareRoom === undefined ? open() : openWithRoom(file, spareRoom, open)
  let logLimit = 0
  const limitLog = (pages: number): void => {
    if (pages !== logLimit) database.exec(`PRAGMA wal_autocheckpoint = ${pages}`)
    logLimit = pages
  }
  /** The log must not take what is left, and with it the spare room. */
  const fitLog = (free: number): void => limitLog(free < roomy + longestLog * pageSize ? shortLog : longestLog)
  fitLog(isDurable ? freeOf(folder) : Infinity)
  // Without the last of the three another process that opens the database makes its own, and with it locks of its own.
  const places = watchPlaces(isDurable ? [file, `${file}-wal`, `${file}-shm`, ...beside] : beside)
  const flush = async (): Promise<void> => {
    await log?.flush()
    places.check()
  }
  const release = (): boolean => {
    if (spareRoom?.release() !== true) return false
    limitLog(shortLog)
    return true
  }
  const remedies = log === undefined ? [] : [log.empty, release, log.empty]
  const group = createGroupCommit(database, flush, remedies)
  return {
    database,
    group,
    places,
    requireRoom: () => {
      const left = isDurable ? freeOf(folder) : Infinity
      if (left < roomForPages) throw fullDisk(file, left)
    },
    ...(spareRoom && {
      free: async () => {
        const free = toFreeRoom(await process.getBuiltinModule("node:fs/promises").statfs(folder))
        spareRoom.keep(free)
        fitLog(free)
        return free
      },
    }),
    close: async (before = () => {}) => {
      await closeAll([group.close, before, async () => log?.close(), () => database.close()])
    },
  }
}
