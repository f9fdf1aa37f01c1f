import { dirname } from "node:path"
import { readSqliteCatalog, type SqliteCatalogReader } from "../../ingest.ts"
import { CommandFailure, describeSystemError } from "../command-failure.ts"
import { shortenSpareRoom } from "./shorten-spare-room.ts"

/** SQLite's codes for a disk without room: SQLITE_FULL, and SQLITE_IOERR_SHMSIZE of the file beside a database that is opened. */
const full: ReadonlySet<unknown> = new Set([13, 4874])

/** Opens it, on a full disk once more with a little of the room that its folder keeps for that. */
const openWithRoom = (file: string): SqliteCatalogReader => {
  try {
    return readSqliteCatalog({ file })
  } catch (error) {
    if (!full.has((error as { readonly errcode?: unknown }).errcode) || !shortenSpareRoom(dirname(file))) throw error
    return readSqliteCatalog({ file })
  }
}

/** Opens a catalog for reading. Fails: throws a {@link CommandFailure} that names the file. */
export const openReader = (file: string): SqliteCatalogReader => {
  try {
    return openWithRoom(file)
  } catch (error) {
    throw new CommandFailure(`The catalog ${file} cannot be read: ${describeSystemError(error)}.`)
  }
}
