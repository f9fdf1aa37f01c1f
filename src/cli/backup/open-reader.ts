import { readSqliteCatalog, type SqliteCatalogReader } from "../../ingest.ts"
import { CommandFailure, describeSystemError } from "../command-failure.ts"

/** Opens a catalog for reading. Fails: throws a {@link CommandFailure} that names the file. */
export const openReader = (file: string): SqliteCatalogReader => {
  try {
    return readSqliteCatalog({ file })
  } catch (error) {
    throw new CommandFailure(`The catalog ${file} cannot be read: ${describeSystemError(error)}.`)
  }
}
