import { isMeant } from "./is-meant.ts"

/** How a statement finds the files that an app means: by the parameters `:appId` and `:id`. */
export const byFileKey = "key = :id AND is_current = 1 AND app_id = :appId"
export const byCustomId = "app_id = :appId AND custom_id = :id AND is_current = 1"

/** Of what {@link byFileKey} or {@link byCustomId} finds, the files of `:owner`; those of everybody where it is null. */
export const ofOwner = (where: string): string => `${where} AND (CAST(:owner AS text) IS NULL OR owner = :owner)`

/** Of what {@link byFileKey} or {@link byCustomId} finds, what no deletion means that has not reached it yet. */
export const unlessMeant = (where: string): string => `${where} AND NOT ${isMeant("files")}`

/** Files that have expired, and those that nobody has claimed in time, each oldest first through an index. */
export const toRemove = `
  SELECT id, key, app_id AS "appId" FROM files
  WHERE remove_at <= ? AND status = 'Uploaded' ORDER BY remove_at LIMIT ?`
export const toClaim = `
  SELECT id, key, app_id AS "appId" FROM files
  WHERE claim_by <= ? AND status = 'Uploaded' ORDER BY claim_by LIMIT ?`

/** The earliest of both kinds, each the first entry of an index. */
export const nextDeadline = `
  SELECT min(at) AS at FROM (
    SELECT min(remove_at) AS at FROM files WHERE remove_at IS NOT NULL AND status = 'Uploaded'
    UNION ALL SELECT min(claim_by) FROM files WHERE claim_by IS NOT NULL AND status = 'Uploaded') AS times`

/** Changes a file, or those of a custom id, that {@link byFileKey} or {@link byCustomId} finds, of an owner. */
export const changeFile = (where: string): string => `
  UPDATE files SET name = coalesce(:name, name), acl = coalesce(:acl, acl),
    path = CASE WHEN :moves = 1 THEN :path ELSE path END,
    remove_at = CASE WHEN :expires = 1 THEN :removeAt ELSE remove_at END,
    spared = CASE WHEN :moves = 1 THEN (SELECT max(id) FROM deletions) ELSE spared END
  WHERE ${unlessMeant(ofOwner(where))} AND status = 'Uploaded' AND hold IS NULL
    AND (remove_at IS NULL OR remove_at > :now) AND (claim_by IS NULL OR claim_by > :now)`

/** Who has a key, and the state of its file: `Deleting` also where a deletion means it that has not reached it yet. */
export const selectHolder = `
  SELECT app_id AS "appId", CASE WHEN ${isMeant("files")} THEN 'Deleting' ELSE status END AS status
  FROM files WHERE key = ? AND is_current = 1`

/** How a file becomes `Deleting`, and what was expected of its key is forgotten. */
export const markDeleting = "UPDATE files SET status = 'Deleting', epoch = epoch + 1, ended_at = ? WHERE id = ?"
export const forgetExpected = "DELETE FROM expected_files WHERE key = ? AND app_id = ? RETURNING registration_id AS id"
