import type { DatabaseSync, StatementSync } from "node:sqlite"
import type { FileRecord } from "../catalog/records.ts"
import { buryFile, type TombstoneSteps } from "../tombstone.ts"
import { forgetExpected as forgetExpectedOf, markDeleting } from "../sql/files.ts"
import { type Row, selectDeletable } from "../sql/rows.ts"
import { one, type Statements } from "./statements.ts"

/** How files are marked as `Deleting`, each step inside the transaction of its caller. */
export const createDeleteSteps = (
  database: DatabaseSync,
  shared: Statements,
  { bury }: Pick<TombstoneSteps, "bury">,
) => {
  /** Finds what {@link deleteRow} has to know of files. */
  const prepareFind = (where: string): StatementSync => database.prepare(`${selectDeletable} WHERE ${where}`)
  const sql = { markDeleting: database.prepare(markDeleting), forgetExpected: database.prepare(forgetExpectedOf) }

  /** Whether a key was expected, for one registration or several: their uploads may no longer come. */
  const forgetExpected = (appId: string, key: string): boolean => {
    const expected = sql.forgetExpected.all(key, appId)
    for (const { id } of expected) shared.dropRegistration.run(id!)
    return expected.length > 0
  }

  /** Returns its key. */
  const deleteRow = (row: Row, now: number): string => {
    const { id, key, appId } = row as unknown as Pick<FileRecord, "id" | "key" | "appId">
    sql.markDeleting.run(now, id)
    shared.deleteAttempts.run(id)
    shared.deleteDelivery.run(id)
    const isExpected = forgetExpected(appId, key)
    const urlsEnd = (row.urlsEnd as number | null) ?? 0
    const tombstone = buryFile(row as unknown as FileRecord, { urlsEnd, isExpected, now })
    if (tombstone !== null) bury(appId, key, tombstone, true)
    return key
  }

  /** Marks the file of a key if a deletion means it that has not reached it yet. Returns whether it did. */
  const settle = (key: string, now: number): boolean => {
    const row = one(shared.meant, key)
    if (row !== undefined) deleteRow(row, now)
    return row !== undefined
  }

  return { prepareFind, forgetExpected, deleteRow, settle }
}

export type DeleteSteps = ReturnType<typeof createDeleteSteps>
