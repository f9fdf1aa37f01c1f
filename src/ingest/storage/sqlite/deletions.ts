import type { DatabaseSync, StatementSync } from "node:sqlite"
import { limits } from "../../../protocol/limits.ts"
import type { CatalogDeletions, DeletionRecord } from "../catalog-deletions.ts"
import { endOfPrefix } from "../path-order.ts"
import { fitsExpected, sizeSelection } from "../quota.ts"
import type { DeleteSteps } from "./delete-steps.ts"
import type { Row } from "./rows.ts"
import { all, one, type Statements } from "./statements.ts"
import type { Steps } from "./steps.ts"
import type { Transactions } from "./transactions.ts"
import { findUsage } from "./usage.ts"

const columns = `id, app_id AS appId, owner, prefix, up_to AS upTo, asked_at AS askedAt, done_at AS doneAt,
  deleted_count AS deletedCount`

/** A deletion as its row says it: '' stands for any owner, and any path. */
interface DeletionRow extends DeletionRecord {
  readonly appId: string
  readonly owner: string
  readonly prefix: string
  readonly upTo: number
}

const toDeletion = ({ id, owner, prefix, askedAt, doneAt, deletedCount }: DeletionRow): DeletionRecord => ({
  id,
  owner: owner === "" ? null : owner,
  prefix: prefix === "" ? null : prefix,
  askedAt,
  doneAt,
  deletedCount,
})

/** The states of files that are not being deleted. Each is a search of its own: the indexes are in order within a state. */
const states = ["Uploading", "Held", "Pending", "Uploaded", "Failed"]

/** The files that a deletion means and has not reached, through the index of owners, of paths, or of both. */
export const meantFiles = (by: "owner" | "prefix" | "both"): ReadonlyArray<string> => {
  const index = { owner: "files_of_owner", prefix: "files_by_path", both: "files_of_owner_by_path" }[by]
  const owner = by === "prefix" ? "" : " AND owner = :owner"
  const path = by === "owner" ? "" : " AND path >= :prefix AND path < :end"
  return states.map(
    (state) => `id IN (
      SELECT id FROM files INDEXED BY ${index}
      WHERE app_id = :appId${owner} AND is_current = 1 AND state = '${state}'${path}
        AND id <= :upTo AND coalesce(spared, 0) < :id LIMIT :limit)`,
  )
}

/** By the index of those that are not done: there may be very many others. */
export const oldestDeletion = `
  SELECT ${columns} FROM deletions
  WHERE id = (SELECT min(id) FROM deletions INDEXED BY deletions_open WHERE done_at IS NULL)`

/** Deletions of many files in the SQLite catalog; `shared` are its other prepared statements. */
export const createDeletions = (
  database: DatabaseSync,
  shared: Statements,
  { read, write }: Transactions,
  { isGone }: Pick<Steps, "isGone">,
  { prepareFind, deleteRow }: Pick<DeleteSteps, "prepareFind" | "deleteRow">,
): CatalogDeletions => {
  const prepare = (sql: string) => database.prepare(sql)
  const sql = {
    countOpen: prepare("SELECT count(*) AS open FROM deletions WHERE app_id = ? AND done_at IS NULL"),
    known: prepare("SELECT 1 FROM deletions WHERE app_id = ? AND owner = ? AND prefix = ?"),
    ask: prepare(`
      INSERT INTO deletions (app_id, owner, prefix, up_to, asked_at, deleted_count)
      SELECT ?1, ?2, ?3, coalesce((SELECT max(id) FROM files), 0), ?4, 0 RETURNING ${columns}`),
    withdraw: prepare("DELETE FROM deletions WHERE app_id = ? AND owner = ? AND prefix = ?"),
    oldest: prepare(oldestDeletion),
    progress: prepare(`
      UPDATE deletions SET deleted_count = deleted_count + ?, done_at = ? WHERE id = ? RETURNING ${columns}`),
    list: prepare(`SELECT ${columns} FROM deletions WHERE app_id = ? ORDER BY id DESC LIMIT ?`),
    forget: prepare(`
      DELETE FROM deletions WHERE id IN (
        SELECT id FROM deletions WHERE done_at IS NOT NULL AND asked_at < ? ORDER BY asked_at LIMIT ?)`),
  }
  const found = {
    owner: meantFiles("owner").map(prepareFind),
    prefix: meantFiles("prefix").map(prepareFind),
    both: meantFiles("both").map(prepareFind),
  }

  const find = (statement: StatementSync, { id, appId, owner, prefix, upTo }: DeletionRow, limit: number) =>
    statement.all({
      id,
      appId,
      upTo,
      limit,
      ...(owner !== "" && { owner }),
      ...(prefix !== "" && { prefix, end: endOfPrefix(prefix) }),
    }) as ReadonlyArray<Row>

  /** Marks some of its files, and notes how far it is. */
  const advance = (deletion: DeletionRow, now: number, limit: number) => {
    const by = deletion.prefix === "" ? "owner" : deletion.owner === "" ? "prefix" : "both"
    const keys: Array<string> = []
    for (const statement of found[by]) {
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
