import { toFreeRoom } from "../disk/free-room.ts"

/** How much is kept: what it takes to open a database, and to delete some hundred files in it. Bytes. */
const size = 4 * 1024 * 1024

/** So much has to be free before it is kept: it must not fill the disk itself. Bytes. */
export const roomy = 4 * size

/** What is free of the disk of a folder, bytes; much where it cannot be asked. */
export const freeOf = (folder: string): number => {
  try {
    return toFreeRoom(process.getBuiltinModule("node:fs").statfsSync(folder))
  } catch {
    return Infinity
  }
}

/** A file without meaning in the folder of a database, whose room the database gets when the disk is full to its last byte. */
export interface SpareRoom {
  /** Keeps it from now on if that is little of so many bytes that are free. Nobody waits for it. */
  readonly keep: (free: number) => void
  /** Gives it up; whether it was there. For one to whom the disk said that it is full: what is free of it, a quota does not tell. */
  readonly release: () => boolean
}

/**
 * The spare room of a folder: all databases in it share one. On a full disk SQLite can neither open a database in WAL mode (its
 * `-shm` has no room) nor delete anything in it (deletions are written as well), so that without it nothing would ever free space.
 */
export const createSpareRoom = (folder: string): SpareRoom => {
  const fs = process.getBuiltinModule("node:fs")
  const { join } = process.getBuiltinModule("node:path")
  const file = join(folder, "spare-room")
  let isKept = false

  const make = async (): Promise<void> => {
    const { randomBytes } = process.getBuiltinModule("node:crypto")
    try {
      if ((await fs.promises.stat(file).catch(() => undefined))?.size === size) return
      // Random, because some file systems keep zeros in no room at all.
      await fs.promises.writeFile(file, randomBytes(size), { mode: 0o600, flush: true })
    } catch {
      await fs.promises.rm(file, { force: true }).catch(() => {})
      isKept = false
    }
  }

  return {
    keep: (free) => {
      if (isKept || free < roomy) return
      isKept = true
      void make()
    },
    release: () => {
      try {
        fs.rmSync(file)
        isKept = false
        return true
      } catch {
        return false
      }
    },
  }
}
