import type { CatalogHousekeeping } from "../catalog/housekeeping.ts"
import type { FileRecord } from "../catalog/records.ts"
import { toReclaimable } from "../sql/rows.ts"
import { statements } from "../sql/statements.ts"
import { expiryFailure } from "../upload-rules.ts"
import type { Database, Transaction } from "./database.ts"
import { deleteFile, dropRegistrations, dropReplaced, failUpload } from "./steps.ts"

const stillUnregistered = `
  UPDATE files SET status = 'Deleting', ended_at = ? WHERE id = ANY (?::bigint[])
    AND status = 'Uploaded' AND slug IS NOT NULL AND registration_id IS NULL`

const unregistered = `
  SELECT id, key FROM files
  WHERE status = 'Uploaded' AND slug IS NOT NULL AND registration_id IS NULL AND uploaded_at < ?
  ORDER BY uploaded_at LIMIT ?`

const abandoned = "SELECT key FROM expected_files WHERE expires < ? ORDER BY expires LIMIT ?"

const failed = `
  SELECT f.id, f.key FROM files f
  WHERE f.status = 'Failed' AND f.has_bytes = 0 AND f.expires < ?
    AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.file_id = f.id AND d.status = 'pending' AND d.is_dev = 0)
  LIMIT ?`

const stillFailed = `
  SELECT f.id, f.registration_id AS "registrationId" FROM files f WHERE f.id = ANY (?::bigint[])
    AND f.status = 'Failed' AND f.has_bytes = 0
    AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.file_id = f.id AND d.status = 'pending' AND d.is_dev = 0)`

const keysOf = (rows: ReadonlyArray<{ readonly key?: unknown }>): ReadonlyArray<string> =>
  rows.map(({ key }) => key as string)

/** Ends uploads that were begun and not finished. */
const endExpired = async (
  sql: Transaction,
  { expiredBefore, limit, now, createEventId }: Parameters<CatalogHousekeeping["expire"]>[0],
): Promise<number> => {
  const found = await sql.all(statements.expired, expiredBefore, limit)
  const files = found as unknown as ReadonlyArray<Pick<FileRecord, "key" | "epoch">>
  await sql.hold(keysOf(found))
  for (const file of files) {
    await failUpload(sql, file, expiryFailure, { eventId: createEventId(), now, isFenced: true })
  }
  return files.length
}

/** Ends and deletes what is no longer needed in the PostgreSQL catalog. */
export const createHousekeeping = ({ read, write }: Database): CatalogHousekeeping => ({
  expire: async (expire) => {
    const { unregisteredBefore, abandonedBefore, limit, now } = expire
    // Each kind is a transaction of its own: keys are held in their order, all of a transaction at once.
    const ended = await write((sql) => endExpired(sql, expire))
    const dropped = await write(async (sql) => {
      const found = await sql.all(unregistered, unregisteredBefore, limit)
      await sql.hold(keysOf(found))
      const ids = found.map(({ id }) => id as number)
      return sql.run(stillUnregistered, now, ids)
    })
    const forgotten = await write(async (sql) => {
      await sql.hold(keysOf(await sql.all(abandoned, abandonedBefore, limit)))
      const rows = await sql.all(statements.abandoned, abandonedBefore, limit)
      await dropRegistrations(
        sql,
        rows.map(({ id }) => id),
      )
      return rows.length
    })
    return ended + dropped + forgotten
  },
  prune: ({ before, limit }) =>
    write(async (sql) => {
      const found = await sql.all(failed, before, limit)
      await sql.hold(keysOf(found))
      const ids = found.map(({ id }) => id as number)
      const rows = await sql.all(stillFailed, ids)
      for (const { id, registrationId } of rows) await deleteFile(sql, id as number, registrationId)
      return rows.length + (await sql.run(statements.pruneAttempts, before, limit))
    }),
  // PostgreSQL's own vacuum does it. Whoever asks hears whether the database is there.
  compact: async () => (await read.one("SELECT revision FROM apps_revision LIMIT 0")) !== undefined,
  listReclaimable: async (limit, after = 0) =>
    (await read.all(statements.reclaimable, after, limit)).map(toReclaimable),
  reclaimed: ({ id, key }) =>
    write(async (sql) => {
      await sql.hold([key])
      await sql.run(statements.keepFailed, id)
      await dropReplaced(sql, id)
      const row = await sql.one(statements.deleting, id, key)
      if (row !== undefined) await deleteFile(sql, id, row.registrationId)
    }),
})
