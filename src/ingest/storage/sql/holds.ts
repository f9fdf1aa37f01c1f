import { isMeant } from "./is-meant.ts"
import { selectUpload } from "./rows.ts"

/** A file that is held, by its key, its app and, where that is known, its id. */
const isHeld = `
  key = :key AND is_current = 1 AND app_id = :appId AND id = coalesce(:id, id) AND status = 'Uploaded' AND hold = 1
  AND NOT ${isMeant("files")}`

/** The apps that have files held, found by one step in the index however many they have. */
export const appsWithHeld = `
  WITH RECURSIVE holding (app_id) AS (
    SELECT min(app_id) FROM files WHERE hold = 1 AND status = 'Uploaded'
    UNION ALL
    SELECT (SELECT min(f.app_id) FROM files f WHERE f.hold = 1 AND f.status = 'Uploaded' AND f.app_id > holding.app_id)
    FROM holding WHERE holding.app_id IS NOT NULL
  )
  SELECT app_id AS "appId" FROM holding WHERE app_id IS NOT NULL`

/**
 * The files of an app that are held, oldest first, between two ids.
 *
 * @param except says which not, of the row that the statement calls `f`
 */
export const heldOfApp = (except: string): string => `
  ${selectUpload} WHERE f.app_id = :appId AND f.hold = 1 AND f.status = 'Uploaded' AND f.is_current = 1
    AND f.id > :after AND f.id <= :to AND ${except} AND NOT ${isMeant("f")}
  ORDER BY f.id LIMIT :limit`

/** The last of so many of them, whether or not a deletion means them; nothing where there are fewer. */
export const edgeOfHeld = `
  SELECT id FROM files WHERE app_id = :appId AND hold = 1 AND status = 'Uploaded' AND id > :after
  ORDER BY id LIMIT 1 OFFSET CAST(:step AS BIGINT) - 1`

/** Ends the waiting of one, for which {@link isHeld} finds it. */
export const release = `
  UPDATE files SET hold = NULL, released_at = :now, remove_at = :now + keep_for, claim_by = :now + claim_within
  WHERE ${isHeld} RETURNING id, registration_id AS "registrationId"`
export const reject = `
  UPDATE files SET hold = NULL, status = 'Failed', failure_code = :code, failure_message = :message, ended_at = :now
  WHERE ${isHeld} RETURNING id, registration_id AS "registrationId"`
