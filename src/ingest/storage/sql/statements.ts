/*
 * Statements that catalogs over SQL share, as SQLite and PostgreSQL both read them. SQLite prepares them as they are;
 * PostgreSQL's driver gives parameters and tables the names they have there (`postgres/translate.ts`).
 */
import { isMeant } from "./is-meant.ts"
import { selectDeletable, selectDue, selectFile, selectRegistration, selectUpload } from "./rows.ts"

/** The greater one of two values that both exist. */
const later = (a: string, b: string): string => `CASE WHEN ${a} < ${b} THEN ${b} ELSE ${a} END`

const insertFile = `
  INSERT INTO files (key, app_id, name, size, type, custom_id, slug, content_disposition, acl, origin, expires, epoch,
    created_at, wire_id, issued_at, owner, path, keep_for, claim_within, cache, hold)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** For the row of `files` that is being written. */
const expectedRegistration =
  "(SELECT registration_id FROM expected_files e WHERE e.key = files.key AND e.wire_id = files.wire_id)"

/** The upload of a key that a registration is for; `Deleting` also where a deletion means it that has not reached it yet. */
const ofWireId = (where: string): string => `
  SELECT f.id, CASE WHEN ${isMeant("f")} THEN 'Deleting' ELSE f.status END AS status, f.hold, f.is_current AS "isCurrent", f.registration_id AS "registrationId" FROM files f
  WHERE f.key = ? AND f.${where} AND f.app_id = ? AND f.wire_id = ?`

/**
 * The delivery row of an ended, registered file; a second one is never made.
 *
 * @param column of who has claimed it, where that is kept, with a comma before it
 * @param value  for that column
 */
export const insertDelivery = (column = "", value = ""): string => `
  INSERT INTO deliveries (file_id, id, registration_id, app_id, is_dev, hook, attempts, next_at${column})
  SELECT f.id, ?, r.id, r.app_id, r.is_dev, CASE WHEN f.status = 'Failed' THEN 'error' ELSE 'callback' END,
    CASE WHEN r.is_dev = 1 THEN 0 ELSE ? END, CASE WHEN r.is_dev = 1 THEN CAST(? AS BIGINT) ELSE ? END${value}
  FROM files f JOIN registrations r ON r.id = f.registration_id WHERE f.id = ?
  ON CONFLICT (file_id) DO NOTHING`

/** @param also what is set beside, with a comma before it */
export const claimDelivery = (also = ""): string =>
  `UPDATE deliveries SET attempts = attempts + 1, next_at = ?${also} WHERE file_id = ?`

/**
 * @param also   what is set beside, with a comma before it
 * @param failed how many attempts have failed once this one has
 */
export const endAttempt = (also = "", failed = "failures + 1"): string => `
    UPDATE deliveries SET status = ?, 
      failures = CASE WHEN ? = 1 THEN failures WHEN is_dev = 1 THEN attempts ELSE ${failed} END,
      next_at = coalesce(?, next_at)${also}
    WHERE id = ? AND attempts = ? AND status = 'pending'`

/**
 * Both parts are in the order of their index, so the first page of a million costs as much as one of a hundred. A deletion has an
 * epoch, too, which no writer was given; where nobody registered the file, or its app is gone, it has none, as a rule.
 */
export const selectReclaimable = `
  SELECT id, key,
    CASE WHEN app_id = '' OR (slug IS NOT NULL AND registration_id IS NULL) THEN epoch ELSE epoch - 1 END AS "lastEpoch"
  FROM files WHERE status = 'Deleting' AND id > ?1
  UNION ALL SELECT id, key, epoch FROM files WHERE status = 'Failed' AND has_bytes = 1 AND id > ?1
  ORDER BY id LIMIT ?2`

/** Each app that has callbacks pending, found by one step in the index however many callbacks it has. */
const owedApps = `
  WITH RECURSIVE owed (app_id) AS (
    SELECT min(app_id) FROM deliveries WHERE status = 'pending' AND is_dev = 0
    UNION ALL
    SELECT (SELECT min(d.app_id) FROM deliveries d WHERE d.status = 'pending' AND d.is_dev = 0 AND d.app_id > owed.app_id)
    FROM owed WHERE owed.app_id IS NOT NULL
  )`

/** The apps that have callbacks due, the one that has waited longest first. */
export const appsWithDue = `${owedApps}
  SELECT waiting.app_id AS "appId", waiting.oldest FROM (
    SELECT owed.app_id, (
      SELECT min(d.next_at) FROM deliveries d WHERE d.status = 'pending' AND d.is_dev = 0 AND d.app_id = owed.app_id
    ) AS oldest
    FROM owed WHERE owed.app_id IS NOT NULL
  ) AS waiting
  WHERE waiting.oldest <= ? ORDER BY waiting.oldest, waiting.app_id`

/** When the next callback falls due after a moment. */
export const nextDueAt = `${owedApps}
  SELECT min((
    SELECT min(d.next_at) FROM deliveries d
    WHERE d.status = 'pending' AND d.is_dev = 0 AND d.app_id = owed.app_id AND d.next_at > ?
  )) AS at FROM owed`

/** The callbacks of an app that are due, oldest first. */
export const dueOfApp = `
  SELECT file_id AS id FROM deliveries
  WHERE status = 'pending' AND is_dev = 0 AND app_id = ? AND next_at <= ?
  ORDER BY next_at, file_id LIMIT ?`

/** The newest readable file of an app, or of one owner, that has a path: one step in the index. */
export const fileByPath = (whose: "all" | "owner"): string => `
  ${selectFile} INDEXED BY ${whose === "owner" ? "files_of_owner_by_path" : "files_by_path"}
  WHERE f.app_id = ?1 AND f.is_current = 1 AND f.state = 'Uploaded' AND f.path = ?2${whose === "owner" ? " AND f.owner = ?4" : ""}
    AND (f.slug IS NULL OR f.registration_id IS NOT NULL) AND (f.remove_at IS NULL OR f.remove_at > ?3)
    AND NOT ${isMeant("f")}
  ORDER BY f.id DESC LIMIT 1`

/** By name. */
export const statements = {
  isTaken: "SELECT 1 FROM files WHERE key = ? AND is_current = 1",
  insertNew: `${insertFile} ON CONFLICT (key) WHERE is_current = 1 DO NOTHING RETURNING id`,
  insertFile: `${insertFile} RETURNING id`,
  insertWhole: `
    INSERT INTO files (key, app_id, name, size, type, custom_id, slug, content_disposition, acl, origin, expires, epoch,
      created_at, wire_id, issued_at, owner, path, keep_for, claim_within, cache, hold, remove_at, claim_by,
      status, file_hash, uploaded_at, is_inline, registration_id)
    VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
      CASE WHEN ?21 = 1 THEN NULL ELSE CAST(?13 AS BIGINT) + ?18 END,
      CASE WHEN ?21 = 1 THEN NULL ELSE CAST(?13 AS BIGINT) + ?19 END, 'Uploaded', ?22, ?13, 1,
      (SELECT registration_id FROM expected_files WHERE key = ?1 AND wire_id = ?14))
    ON CONFLICT (key) WHERE is_current = 1 DO NOTHING RETURNING id, registration_id AS "registrationId"`,
  insertContent: "INSERT INTO contents (file_id, bytes) VALUES (?, ?)",
  content: "SELECT bytes FROM contents WHERE file_id = ?",
  deleteContent: "DELETE FROM contents WHERE file_id = ?",
  upload: `${selectUpload} WHERE f.key = ? AND f.is_current = 1`,
  customId: `
    ${selectFile} WHERE f.app_id = ?1 AND f.custom_id = ?2 AND f.status = 'Uploaded' AND NOT ${isMeant("f")}
      AND (?3 = 'all' OR (f.hold IS NULL AND f.claim_by IS NULL AND (f.slug IS NULL OR f.registration_id IS NOT NULL)
        AND (f.remove_at IS NULL OR f.remove_at > ?4)))
    ORDER BY f.id DESC LIMIT 1`,
  byPath: fileByPath("all"),
  ofOwnerByPath: fileByPath("owner"),
  resume: `
    UPDATE files SET epoch = ?, resumed_at = ?, expires = ?, custom_id = ?, content_disposition = ?, acl = ?, cache = ?
    WHERE id = ?`,
  supersede: `
    UPDATE files SET is_current = 0, status = 'Failed', failure_code = ?, failure_message = ?, ended_at = ?
    WHERE id = ?`,
  dropDevEvent: "UPDATE deliveries SET status = 'dead' WHERE file_id = ? AND status = 'pending' AND is_dev = 1",
  letGo: "UPDATE files SET is_current = 0 WHERE id = ?",
  noteUrlsEnd:
    "UPDATE files SET urls_end = ?1 WHERE key = ?2 AND is_current = 1 AND app_id = ?3 AND coalesce(urls_end, 0) < ?1",
  deleteFile: "DELETE FROM files WHERE id = ?",
  interrupt:
    "UPDATE files SET epoch = epoch + 1 WHERE key = ? AND is_current = 1 AND status = 'Uploading' RETURNING epoch",
  finish: `
    UPDATE files SET status = 'Uploaded', file_hash = ?1, blob_ref = ?5, uploaded_at = ?2, 
      remove_at = CASE WHEN hold = 1 THEN NULL ELSE ?2 + keep_for END,
      claim_by = CASE WHEN hold = 1 THEN NULL ELSE ?2 + claim_within END, registration_id = ${expectedRegistration}
    WHERE key = ?3 AND is_current = 1 AND status = 'Uploading' AND epoch = ?4 AND NOT ${isMeant("files")}
    RETURNING id, wire_id AS "wireId", registration_id AS "registrationId", hold`,
  fail: `
    UPDATE files SET status = 'Failed', epoch = epoch + ?, failure_code = ?, failure_message = ?, ended_at = ?,
      registration_id = ${expectedRegistration}
    WHERE key = ? AND is_current = 1 AND status = 'Uploading' AND epoch = ?
    RETURNING id, wire_id AS "wireId", registration_id AS "registrationId"`,
  arrived: "DELETE FROM expected_files WHERE key = ? AND wire_id = ?",
  attachExpected: `UPDATE files SET registration_id = ${expectedRegistration} WHERE id = ? RETURNING registration_id AS id`,
  registration: selectRegistration,
  insertDelivery: insertDelivery(),
  insertRegistration: `
    INSERT INTO registrations
      (app_id, metadata, callback_url, callback_slug, await_server_data, is_dev, traceparent, tracestate, registered_at)
    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`,
  expected: "SELECT registration_id AS id, bytes FROM expected_files WHERE key = ? AND wire_id = ?",
  expect: `
    INSERT INTO expected_files (key, wire_id, registration_id, expires, app_id, bytes) VALUES (?, ?, ?, ?, ?, ?)
    ON CONFLICT (key, wire_id) DO UPDATE SET registration_id = excluded.registration_id,
      expires = ${later("expected_files.expires", "excluded.expires")},
      bytes = excluded.bytes`,
  expectedOfKey: "SELECT bytes FROM expected_files WHERE key = ? LIMIT 1",
  meant: `
    ${selectDeletable} WHERE key = ? AND is_current = 1 AND status <> 'Deleting' AND ${isMeant("files")}`,
  deletionOfOwner:
    "SELECT 1 FROM deletions WHERE app_id = ? AND owner = ? AND prefix = '' AND asked_at >= ? AND asked_at > ?",
  tombstone: `SELECT deleted_at AS "deletedAt", until FROM tombstones WHERE app_id = ? AND key = ?`,
  prolongTombstone: "UPDATE tombstones SET until = ?1 WHERE app_id = ?2 AND key = ?3 AND until < ?1",
  bury: `
    INSERT INTO tombstones (app_id, key, deleted_at, until, had_file) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (app_id, key) DO UPDATE SET deleted_at = ${later("tombstones.deleted_at", "excluded.deleted_at")},
      until = ${later("tombstones.until", "excluded.until")},
      had_file = ${later("tombstones.had_file", "excluded.had_file")}`,
  forgetTombstones: `
    DELETE FROM tombstones WHERE (app_id, key) IN (
      SELECT app_id, key FROM tombstones WHERE until <= ? ORDER BY until LIMIT ?)`,
  prolong: "UPDATE files SET expires = ?1 WHERE id = ?2 AND expires < ?1",
  ofWireId: ofWireId("is_current = 1"),
  replacedOfWireId: `${ofWireId("is_current = 0")} ORDER BY f.id DESC LIMIT 1`,
  attach: "UPDATE files SET registration_id = ? WHERE id = ?",
  ofEvent:
    "SELECT f.id FROM deliveries d JOIN files f ON f.id = d.file_id WHERE d.id = ? AND f.key = ? AND f.app_id = ?",
  ofApp: "SELECT id, status FROM files WHERE key = ? AND is_current = 1 AND app_id = ?",
  result: `
    UPDATE files SET result_at = ?, result_data = ?, result_error = ?
    WHERE id = ? AND status = 'Uploaded' AND hold IS NULL AND result_data IS NULL`,
  acknowledge: "UPDATE deliveries SET status = 'delivered' WHERE file_id = ? AND status = 'pending' AND is_dev = 1",
  devAttempt: `
    SELECT id, attempts, failures, next_at AS "nextAt", attempts - redelivered_after - 1 AS retry FROM deliveries
    WHERE file_id = ? AND status = 'pending' AND is_dev = 1`,
  appsWithDue,
  dueOfApp,
  claim: claimDelivery(),
  due: `${selectDue} WHERE d.file_id = ?`,
  insertAttempt: `
    INSERT INTO attempts (delivery_id, attempt, started_at, latency, status, error, answer)
    VALUES (?, ?, ?, ?, ?, ?, ?)
    ON CONFLICT DO NOTHING`,
  endAttempt: endAttempt(),
  fileOfEvent: "SELECT file_id AS id FROM deliveries WHERE id = ?",
  redeliver: `
    UPDATE deliveries SET status = 'pending', failures = attempts, redelivered_after = attempts, next_at = ?
    WHERE id = ? AND (status <> 'pending' OR attempts = failures)
      AND (is_dev = 0 OR file_id IN (SELECT id FROM files WHERE is_current = 1))`,
  moveCallbacks:
    "UPDATE registrations SET callback_url = ?1 WHERE id = (SELECT registration_id FROM deliveries WHERE id = ?2)",
  forgetError: "UPDATE files SET result_error = NULL WHERE id = ? AND result_error IS NOT NULL",
  nextDueAt,
  countDeliveries: `
    SELECT (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE status = 'pending' LIMIT ?1) AS few) AS pending,
      (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE status = 'dead' LIMIT ?1) AS few) AS dead`,
  releaseClaims:
    "UPDATE deliveries SET failures = attempts, next_at = ? WHERE status = 'pending' AND attempts > failures",
  appCreatedAt: `SELECT created_at AS "createdAt" FROM apps WHERE id = ?`,
  expired: "SELECT key, epoch FROM files WHERE status = 'Uploading' AND expires < ? ORDER BY expires LIMIT ?",
  dropUnregistered: `
    UPDATE files SET status = 'Deleting', ended_at = ? WHERE id IN (
      SELECT f.id FROM files f
      WHERE f.status = 'Uploaded' AND f.slug IS NOT NULL AND f.registration_id IS NULL AND f.uploaded_at < ?
      ORDER BY f.uploaded_at LIMIT ?)`,
  abandoned: `
    DELETE FROM expected_files WHERE (key, wire_id) IN (
      SELECT e.key, e.wire_id FROM expected_files e WHERE e.expires < ? AND NOT EXISTS (
        SELECT 1 FROM files f
        WHERE f.key = e.key AND f.wire_id = e.wire_id AND f.is_current = 1 AND f.status = 'Uploading')
      ORDER BY e.expires LIMIT ?)
    RETURNING registration_id AS id`,
  dropRegistration: `
    DELETE FROM registrations AS r WHERE r.id = ?
      AND NOT EXISTS (SELECT 1 FROM expected_files e WHERE e.registration_id = r.id)
      AND NOT EXISTS (SELECT 1 FROM files f WHERE f.registration_id = r.id)`,
  reclaimable: selectReclaimable,
  failedHistory: `
    SELECT f.id, f.registration_id AS "registrationId" FROM files f
    WHERE f.status = 'Failed' AND f.has_bytes = 0 AND f.expires < ?
      AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.file_id = f.id AND d.status = 'pending' AND d.is_dev = 0)
    LIMIT ?`,
  pruneAttempts: `
    DELETE FROM attempts WHERE (delivery_id, attempt) IN (
      SELECT delivery_id, attempt FROM attempts WHERE started_at < ? ORDER BY started_at LIMIT ?)`,
  keepFailed: "UPDATE files SET has_bytes = 0 WHERE id = ? AND status = 'Failed'",
  replaced: `
    SELECT registration_id AS "registrationId" FROM files f WHERE f.id = ? AND f.status = 'Failed' AND f.is_current = 0
      AND f.has_bytes = 0 AND (f.wire_id = '' OR f.registration_id IS NOT NULL)
      AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.file_id = f.id)`,
  deleting: `SELECT registration_id AS "registrationId" FROM files WHERE id = ? AND key = ? AND status = 'Deleting'`,
  deleteAttempts: "DELETE FROM attempts WHERE delivery_id = (SELECT id FROM deliveries WHERE file_id = ?)",
  deleteDelivery: "DELETE FROM deliveries WHERE file_id = ?",
} as const
