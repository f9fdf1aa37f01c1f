import { DatabaseSync } from "node:sqlite"

/**
 * Damages the schema of a catalog, whoever has it open: from now on every statement that names a table fails with
 * SQLITE_CORRUPT.
 */
export const breakCatalog = (file: string): void => {
  // Newer versions of Node protect the schema unless told otherwise; their types do not know it yet.
  const options: object = { defensive: false }
  const database = new DatabaseSync(file, options)
  try {
    const { version } = database.prepare("SELECT schema_version AS version FROM pragma_schema_version").get()!
    database.exec(`
      PRAGMA writable_schema = ON;
      UPDATE sqlite_schema SET sql = 'damaged' WHERE name = 'files';
      PRAGMA schema_version = ${Number(version) + 1}`)
  } finally {
    database.close()
  }
}
