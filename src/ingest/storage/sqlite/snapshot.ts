import type { DatabaseSync } from "node:sqlite"
import type { FileRecord } from "../catalog/records.ts"
import { createSqliteCatalog } from "./catalog-sqlite.ts"
import { migrations } from "./schema.ts"

/** The part of a file that is `Uploaded` that a copy of its bytes needs. */
export type StoredFileRow = Pick<
  FileRecord,
  "id" | "key" | "appId" | "name" | "size" | "fileHash" | "isInline" | "blobRef"
>

/** Reads a catalog as it is, whichever version of this package wrote it. */
export interface SqliteCatalogReader {
  /** Migrations that it has been through; one that this package does not know is refused. */
  readonly version: number
  /** Files that are `Uploaded`, oldest first, starting after `after` (0). */
  readonly listStored: (limit: number, after?: number) => ReadonlyArray<StoredFileRow>
  /** Whether a file is `Uploaded` now. */
  readonly isStored: (id: number) => boolean
  /** How many files are `Uploaded`, and their bytes; `blobBytes` are those that are not in the catalog itself. */
  readonly sum: () => { readonly files: number; readonly bytes: number; readonly blobBytes: number }
  /** The apps of which the catalog keeps anything. Only of the newest schema. */
  readonly listAppIds: () => ReadonlyArray<string>
  /** The bytes of a small file; null when there are none. */
  readonly readContent: (id: number) => Promise<Uint8Array | null>
  readonly close: () => void
}

const open = (file: string): DatabaseSync => {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const database = new DatabaseSync(file, { readOnly: true })
  try {
    database.exec("PRAGMA busy_timeout = 5000")
    return database
  } catch (cause) {
    database.close()
    throw cause
  }
}

const versionOf = (database: DatabaseSync): number =>
  Number(Object.values(database.prepare("PRAGMA user_version").get()!)[0])

/**
 * The migrations that a catalog has been through, and those that this package knows. Nothing is changed; an ingest may
 * run on it.
 *
 * Fails: throws SQLite's error when the file cannot be read.
 */
export const readSqliteSchema = ({
  file,
}: {
  readonly file: string
}): { readonly is: number; readonly known: number } => {
  const database = open(file)
  try {
    return { is: versionOf(database), known: migrations.length }
  } finally {
    database.close()
  }
}

/** The migration that added `contents`, and columns without which this package cannot read a catalog. */
const oldestReadable = 2

/** The first schema whose files have what the blob store is told when it reads them. */
const firstWithBlobRefs = 16

/** Pages of one step: the largest number of pages that a database can have, so that SQLite copies all at once. */
const allPages = 2 ** 31 - 1

/**
 * Reads a catalog without changing its schema or its file. An ingest may run on it; no read lasts longer than a call,
 * so that its log can be emptied in between.
 *
 * Fails: throws SQLite's error, or one that says that a newer version of this package wrote it, or one that is too
 *        old.
 */
export const readSqliteCatalog = ({ file }: { readonly file: string }): SqliteCatalogReader => {
  const database = open(file)
  try {
    const version = versionOf(database)
    if (version > migrations.length) {
      throw new Error(
        `a newer version of sluice wrote it (schema ${version}, this one knows up to ${migrations.length}); use that version`,
      )
    }
    if (version < oldestReadable) throw new Error(`it is of schema ${version}; start the ingest on it once`)
    const blobRef = version < firstWithBlobRefs ? "NULL" : "blob_ref"
    const list = database.prepare(`
      SELECT id, key, app_id AS appId, name, size, file_hash AS fileHash, is_inline AS isInline, ${blobRef} AS blobRef
      FROM files WHERE status = 'Uploaded' AND id > ? ORDER BY id LIMIT ?`)
    const find = database.prepare("SELECT 1 FROM files WHERE id = ? AND status = 'Uploaded'")
    const sum = database.prepare(`
      SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes,
        coalesce(sum(CASE WHEN is_inline THEN 0 ELSE size END), 0) AS blobBytes
      FROM files WHERE status = 'Uploaded'`)
    const content = database.prepare("SELECT bytes FROM contents WHERE file_id = ?")
    return {
      version,
      listStored: (limit, after = 0) =>
        list.all(after, limit).map((row) => ({ ...row, isInline: row["isInline"] === 1 }) as unknown as StoredFileRow),
      isStored: (id) => find.get(id) !== undefined,
      sum: () => sum.get() as unknown as ReturnType<SqliteCatalogReader["sum"]>,
      // Files of a deleted app whose bytes are left belong to ''.
      listAppIds: () =>
        database
          .prepare("SELECT app_id AS id FROM usage WHERE app_id <> '' AND catalog_bytes > 0 ORDER BY app_id")
          .all()
          .map((row) => row["id"] as string),
      readContent: async (id) => (content.get(id)?.["bytes"] as Uint8Array | undefined) ?? null,
      close: () => database.close(),
    }
  } catch (cause) {
    database.close()
    throw cause
  }
}

/** Turns a database into a single file that can be read on a read-only disk, and flushes it. */
const settleFile = async (file: string): Promise<void> => {
  const { DatabaseSync } = process.getBuiltinModule("node:sqlite")
  const fs = process.getBuiltinModule("node:fs/promises")
  const database = new DatabaseSync(file)
  try {
    database.exec("PRAGMA journal_mode = DELETE")
  } finally {
    database.close()
  }
  const handle = await fs.open(file, "r+")
  try {
    await handle.sync()
  } finally {
    await handle.close()
  }
}

/**
 * Copies a catalog as it is at one moment, while an ingest writes to it: SQLite's online backup, all pages in one read
 * transaction, off the calling thread. (In several steps it would begin anew whenever another process has written.)
 * The ingest keeps running meanwhile; its log grows until the copy is complete.
 *
 * @param to the copy: one file, mode 0600, flushed; an existing one is replaced
 *
 * Fails: rejects with SQLite's error; a partly written copy may then remain.
 */
export const snapshotSqliteCatalog = async (paths: { readonly file: string; readonly to: string }): Promise<void> => {
  const { backup } = process.getBuiltinModule("node:sqlite")
  const fs = process.getBuiltinModule("node:fs/promises")
  for (const part of ["", "-wal", "-shm", "-journal"]) await fs.rm(paths.to + part, { force: true })
  await (await fs.open(paths.to, "wx", 0o600)).close()
  const database = open(paths.file)
  try {
    await backup(database, paths.to, { rate: allPages })
  } finally {
    database.close()
  }
  await settleFile(paths.to)
}

/**
 * Takes files out of a copy as if they had been deleted at `now`: their events are deleted, their URLs stay refused. Deletions
 * that are not done are done in it.
 * Afterwards the copy has the newest schema.
 */
export const dropFromSnapshot = async (
  { file }: { readonly file: string },
  files: ReadonlyArray<Pick<StoredFileRow, "id" | "key" | "appId">>,
  now: number,
): Promise<void> => {
  const catalog = createSqliteCatalog({ file })
  try {
    // A deletion may mean some of them that had not reached their rows when the copy was made.
    while (!(await catalog.continueDeletions({ now, limit: 1000 })).isDone);
    for (const { id, key, appId } of files) {
      await catalog.deleteFiles({ appId, files: [{ fileKey: key }], now })
      await catalog.reclaimed({ id, key })
    }
  } finally {
    await catalog.close()
  }
  await settleFile(file)
}
