/** SQLITE_CORRUPT and SQLITE_NOTADB: these are findings of the check, not failures of it. */
const damage: ReadonlySet<unknown> = new Set([11, 26])

/**
 * Checks whether a catalog's file is sound (`PRAGMA quick_check`), without changing it. An ingest may run on it
 * meanwhile; a large catalog takes a while, because all of it is read.
 *
 * @returns what is wrong, at most 20 findings; empty when nothing is
 *
 * Fails: throws SQLite's error when the file cannot be read.
 */
export const checkSqliteCatalog = ({ file }: { readonly file: string }): ReadonlyArray<string> => {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    database.exec("PRAGMA busy_timeout = 5000")
    const found = database.prepare("PRAGMA quick_check(20)").all()
    return found.map((row) => String(row["quick_check"])).filter((finding) => finding !== "ok")
  } catch (cause) {
    if (!damage.has((cause as { errcode?: unknown }).errcode)) throw cause
    return [(cause as Error).message]
  } finally {
    database.close()
  }
}
