import type { FileRecord } from "../catalog/records.ts"
import { forgetExpected as forgetExpectedOf, markDeleting } from "../sql/files.ts"
import { type Row, selectDeletable } from "../sql/rows.ts"
import { statements } from "../sql/statements.ts"
import { buryFile } from "../tombstone.ts"
import type { Sql, Transaction } from "./database.ts"
import { dropRegistrations } from "./steps.ts"
import { bury } from "./tombstones.ts"

/*
 * How files are marked as `Deleting`, each step inside the transaction of its caller, who holds the key.
 */

/** Whether a key was expected, for one registration or several: their uploads may no longer come. */
export const forgetExpected = async (sql: Sql, appId: string, key: string): Promise<boolean> => {
  const expected = await sql.all(forgetExpectedOf, key, appId)
  await dropRegistrations(
    sql,
    expected.map(({ id }) => id),
  )
  return expected.length > 0
}

/** Returns its key. */
export const deleteRow = async (sql: Sql, row: Row, now: number): Promise<string> => {
  const { id, key, appId } = row as unknown as Pick<FileRecord, "id" | "key" | "appId">
  await sql.run(markDeleting, now, id)
  await sql.run(statements.deleteAttempts, id)
  await sql.run(statements.deleteDelivery, id)
  const isExpected = await forgetExpected(sql, appId, key)
  const urlsEnd = (row.urlsEnd as number | null) ?? 0
  const tombstone = buryFile(row as unknown as FileRecord, { urlsEnd, isExpected, now })
  if (tombstone !== null) await bury(sql, appId, key, tombstone, true)
  return key
}

/** Deletes files that were found before their keys were held, unless they have changed meanwhile. Returns their keys. */
export const deleteFound = async (
  sql: Transaction,
  found: ReadonlyArray<Row>,
  now: number,
  still = "status <> 'Deleting'",
): Promise<ReadonlyArray<string>> => {
  if (found.length === 0) return []
  await sql.hold(found.map(({ key }) => key as string))
  const ids = found.map(({ id }) => id as number)
  const rows = await sql.all(`${selectDeletable} WHERE id = ANY (?::bigint[]) AND ${still}`, ids)
  const places = new Map(ids.map((id, place) => [id, place]))
  const keys: Array<string> = []
  for (const row of rows.toSorted((a, b) => places.get(a.id as number)! - places.get(b.id as number)!)) {
    keys.push(await deleteRow(sql, row, now))
  }
  return keys
}

/** Marks the file of a key if a deletion means it that has not reached it yet. Returns whether it did. */
export const settle = async (sql: Sql, key: string, now: number): Promise<boolean> => {
  const row = await sql.one(statements.meant, key)
  if (row !== undefined) await deleteRow(sql, row, now)
  return row !== undefined
}
