import type { DatabaseSync, StatementSync } from "node:sqlite"
import { limits } from "../../../protocol/limits.ts"
import type { CatalogDeletions } from "../catalog/deletions.ts"
import { fitsExpected, sizeSelection } from "../quota.ts"
import type { DeleteSteps } from "./delete-steps.ts"
import { byWhich, type DeletionRow, deletionStatements, meantFiles, toDeletion, toSelection } from "../sql/deletions.ts"
import type { Row } from "../sql/rows.ts"
import { all, one, prepareAll, type Statements } from "./statements.ts"
import type { Steps } from "./steps.ts"
import type { Transactions } from "./transactions.ts"
import { findUsage } from "./usage.ts"

/** Deletions of many files in the SQLite catalog; `shared` are its other prepared statements. */
export const createDeletions = (
  database: DatabaseSync,
  shared: Statements,
  { read, write }: Transactions,
  { isGone }: Pick<Steps, "isGone">,
  { prepareFind, deleteRow }: Pick<DeleteSteps, "prepareFind" | "deleteRow">,
): CatalogDeletions => {
  const sql = prepareAll(database, deletionStatements)
  const found = {
    owner: meantFiles("owner").map(prepareFind),
    prefix: meantFiles("prefix").map(prepareFind),
    both: meantFiles("both").map(prepareFind),
  }

  const find = (statement: StatementSync, deletion: DeletionRow, limit: number) => {
    const { id, appId, upTo } = deletion
    return statement.all({ id, appId, upTo, limit, ...toSelection(deletion) }) as ReadonlyArray<Row>
  }

  /** Marks some of its files, and notes how far it is. */
  const advance = (deletion: DeletionRow, now: number, limit: number) => {
    const keys: Array<string> = []
    for (const statement of found[byWhich(deletion)]) {
      if (keys.length === limit) break
      for (const row of find(statement, deletion, limit - keys.length)) keys.push(deleteRow(row, now))
    }
    const doneAt = keys.length < limit ? now : null
    const row = one(sql.progress, keys.length, doneAt, deletion.id) as unknown as DeletionRow
    return { keys, deletion: toDeletion(row) }
  }

  return {
    deleteMatching: ({ appId, selection, now, limit, bounds = {}, appSince }) =>
      write(() => {
        const { owner = "", prefix = "" } = selection
        if (isGone(appId, appSince)) return { kind: "unknownApp" }
        if ((one(sql.countOpen, appId)!.open as number) >= limits.openDeletions) return { kind: "tooMany" }
        const isKnown = one(sql.known, appId, owner, prefix) !== undefined
        const added = { files: 1, bytes: sizeSelection(selection) }
        if (!isKnown && !fitsExpected(findUsage(shared, appId), added, bounds)) return { kind: "tooMany" }
        // What the former one has not reached is meant by the new one.
        sql.withdraw.run(appId, owner, prefix)
        const deletion = one(sql.ask, appId, owner, prefix, now) as unknown as DeletionRow
        return { kind: "deleted", ...advance(deletion, now, limit) }
      }),
    continueDeletions: ({ now, limit }) =>
      write(() => {
        const deletion = one(sql.oldest) as unknown as DeletionRow | undefined
        if (deletion === undefined) return { keys: [], isDone: true }
        const { keys } = advance(deletion, now, limit)
        return { keys, isDone: one(sql.oldest) === undefined }
      }),
    listDeletions: (appId, limit) =>
      read(() => all(sql.list, appId, limit).map((row) => toDeletion(row as unknown as DeletionRow))),
    forgetDeletions: ({ before, limit }) => write(() => Number(sql.forget.run(before, limit).changes)),
  }
}
