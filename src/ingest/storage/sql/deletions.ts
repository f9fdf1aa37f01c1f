import type { DeletionRecord } from "../catalog/deletions.ts"
import { endOfPrefix } from "../path-order.ts"

const columns = `id, app_id AS "appId", owner, prefix, up_to AS "upTo", asked_at AS "askedAt", done_at AS "doneAt",
  deleted_count AS "deletedCount"`

/** A deletion as its row says it: '' stands for any owner, and any path. */
export interface DeletionRow extends DeletionRecord {
  readonly appId: string
  readonly owner: string
  readonly prefix: string
  readonly upTo: number
}

export const toDeletion = ({ id, owner, prefix, askedAt, doneAt, deletedCount }: DeletionRow): DeletionRecord => ({
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

/** What selects the files of a deletion: the parts of it that it has. */
export const byWhich = ({ owner, prefix }: Pick<DeletionRow, "owner" | "prefix">): "owner" | "prefix" | "both" => {
  if (prefix === "") return "owner"
  return owner === "" ? "prefix" : "both"
}

/** The parameters of {@link meantFiles} that say which files are meant. */
export const toSelection = ({ owner, prefix }: Pick<DeletionRow, "owner" | "prefix">) => ({
  ...(owner !== "" && { owner }),
  ...(prefix !== "" && { prefix, end: endOfPrefix(prefix) }),
})

/** By name. */
export const deletionStatements = {
  countOpen: "SELECT count(*) AS open FROM deletions WHERE app_id = ? AND done_at IS NULL",
  known: "SELECT 1 FROM deletions WHERE app_id = ? AND owner = ? AND prefix = ?",
  ask: `
    INSERT INTO deletions (app_id, owner, prefix, up_to, asked_at, deleted_count)
    SELECT ?, ?, ?, coalesce((SELECT max(id) FROM files), 0), CAST(? AS BIGINT), 0 RETURNING ${columns}`,
  withdraw: "DELETE FROM deletions WHERE app_id = ? AND owner = ? AND prefix = ?",
  oldest: oldestDeletion,
  progress: `
    UPDATE deletions SET deleted_count = deleted_count + ?, done_at = ? WHERE id = ? RETURNING ${columns}`,
  list: `SELECT ${columns} FROM deletions WHERE app_id = ? ORDER BY id DESC LIMIT ?`,
  forget: `
    DELETE FROM deletions WHERE id IN (
      SELECT id FROM deletions WHERE done_at IS NOT NULL AND asked_at < ? ORDER BY asked_at LIMIT ?)`,
} as const
