import { limits } from "../../../protocol/limits.ts"
import type { CatalogDeletions } from "../catalog/deletions.ts"
import { fitsExpected, sizeSelection } from "../quota.ts"
import {
  byWhich,
  type DeletionRow,
  deletionStatements as statements,
  meantFiles,
  toDeletion,
  toSelection,
} from "../sql/deletions.ts"
import { selectDeletable } from "../sql/rows.ts"
import type { Database, Transaction } from "./database.ts"
import { deleteFound } from "./delete-steps.ts"
import { isGone } from "./steps.ts"
import { findUsage } from "./usage.ts"

/** Marks some of its files, and notes how far it is. */
const advance = async (sql: Transaction, deletion: DeletionRow, now: number, limit: number) => {
  const keys: Array<string> = []
  let hasMore = false
  for (const where of meantFiles(byWhich(deletion))) {
    if (keys.length === limit) hasMore = true
    if (hasMore) break
    const { id, appId, upTo } = deletion
    const most = limit - keys.length
    const found = await sql.all(`${selectDeletable} WHERE ${where} AND status <> 'Deleting' LIMIT :limit`, {
      id,
      appId,
      upTo,
      limit: most,
      ...toSelection(deletion),
    })
    // A file that was moved meanwhile is not meant any more.
    keys.push(...(await deleteFound(sql, found, now, `status <> 'Deleting' AND coalesce(spared, 0) < ${id}`)))
    hasMore = found.length === most
  }
  const row = await sql.one(statements.progress, keys.length, hasMore ? null : now, deletion.id)
  // Withdrawn since, for the same that was asked for again: that one goes on with what is left.
  const unnoted = { ...deletion, deletedCount: deletion.deletedCount + keys.length, doneAt: hasMore ? null : now }
  return { keys, deletion: toDeletion((row as unknown as DeletionRow | undefined) ?? unnoted) }
}

/** Deletions of many files in the PostgreSQL catalog. */
export const createDeletions = ({ read, write }: Database): CatalogDeletions => ({
  deleteMatching: async ({ appId, selection, now, limit, bounds = {}, appSince }) => {
    const { owner = "", prefix = "" } = selection
    // What is meant is settled by a transaction of its own: it holds what the marking must not wait for.
    const asked = await write(async (sql) => {
      if (await isGone(sql, appId, appSince)) return { kind: "unknownApp" } as const
      await sql.hold([`deletions ${appId}`])
      if (((await sql.one(statements.countOpen, appId))!.open as number) >= limits.openDeletions) {
        return { kind: "tooMany" } as const
      }
      const isKnown = (await sql.one(statements.known, appId, owner, prefix)) !== undefined
      const added = { files: 1, bytes: sizeSelection(selection) }
      if (!isKnown && !fitsExpected(await findUsage(sql, appId), added, bounds)) return { kind: "tooMany" } as const
      // What the former one has not reached is meant by the new one.
      await sql.run(statements.withdraw, appId, owner, prefix)
      return (await sql.one(statements.ask, appId, owner, prefix, now)) as unknown as DeletionRow
    })
    if ("kind" in asked) return asked
    return { kind: "deleted", ...(await write((sql) => advance(sql, asked, now, limit))) }
  },
  continueDeletions: ({ now, limit }) =>
    write(async (sql) => {
      const deletion = (await sql.one(statements.oldest)) as unknown as DeletionRow | undefined
      if (deletion === undefined) return { keys: [], isDone: true }
      const { keys } = await advance(sql, deletion, now, limit)
      return { keys, isDone: (await sql.one(statements.oldest)) === undefined }
    }),
  listDeletions: async (appId, limit) =>
    (await read.all(statements.list, appId, limit)).map((row) => toDeletion(row as unknown as DeletionRow)),
  forgetDeletions: ({ before, limit }) => write((sql) => sql.run(statements.forget, before, limit)),
})
