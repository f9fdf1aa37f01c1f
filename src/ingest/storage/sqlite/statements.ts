import type { DatabaseSync, StatementSync, SupportedValueType } from "node:sqlite"
import { isMeant } from "./is-meant.ts"
import { type Row, selectDeletable, selectDue, selectFile, selectRegistration, selectUpload } from "./rows.ts"

const insertFile = `
  INSERT INTO files (key, app_id, name, size, type, custom_id, slug, content_disposition, acl, origin, expires, epoch,
    created_at, wire_id, issued_at, owner, path, keep_for, claim_within, cache, hold)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** For the row of `files` that is being written. */
const expectedRegistration =
  "(SELECT registration_id FROM expected_files e WHERE e.key = files.key AND e.wire_id = files.wire_id)"

/** The upload of a key that a registration is for. */
const ofWireId = (where: string): string => `
  SELECT f.id, f.status, f.hold, f.is_current AS isCurrent, f.registration_id AS registrationId FROM files f
  WHERE f.key = ? AND f.${where} AND f.app_id = ? AND f.wire_id = ?`

/** The delivery row of an ended, registered file; a second one is never made. */
const insertDelivery = `
  INSERT INTO deliveries (file_id, id, registration_id, app_id, is_dev, hook, attempts, next_at)
  SELECT f.id, ?, r.id, r.app_id, r.is_dev, iif(f.status = 'Failed', 'error', 'callback'), iif(r.is_dev, 0, ?), iif(r.is_dev, ?, ?)
  FROM files f JOIN registrations r ON r.id = f.registration_id WHERE f.id = ?
  ON CONFLICT (file_id) DO NOTHING`

/** Both parts are in the order of their index, so the first page of a million costs as much as one of a hundred. */
export const selectReclaimable = `
  SELECT id, key FROM files WHERE status = 'Deleting' AND id > ?1
  UNION ALL SELECT id, key FROM files WHERE status = 'Failed' AND has_bytes = 1 AND id > ?1
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
  SELECT owed.app_id AS appId, (
    SELECT min(d.next_at) FROM deliveries d WHERE d.status = 'pending' AND d.is_dev = 0 AND d.app_id = owed.app_id
  ) AS oldest
  FROM owed WHERE owed.app_id IS NOT NULL AND oldest <= ? ORDER BY oldest, appId`

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

/** All statements of the SQLite catalog, prepared once. */
export const prepareStatements = (database: DatabaseSync) => {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    insertNew: prepare(`${insertFile} ON CONFLICT (key) WHERE is_current = 1 DO NOTHING RETURNING id`),
    insertFile: prepare(`${insertFile} RETURNING id`),
    insertWhole: prepare(`
      INSERT INTO files (key, app_id, name, size, type, custom_id, slug, content_disposition, acl, origin, expires, epoch,
        created_at, wire_id, issued_at, owner, path, keep_for, claim_within, cache, hold, remove_at, claim_by,
        status, file_hash, uploaded_at, is_inline, registration_id)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20, ?21,
        iif(?21, NULL, ?13 + ?18), iif(?21, NULL, ?13 + ?19), 'Uploaded', ?22, ?13, 1,
        (SELECT registration_id FROM expected_files WHERE key = ?1 AND wire_id = ?14))
      ON CONFLICT (key) WHERE is_current = 1 DO NOTHING RETURNING id, registration_id AS registrationId`),
    insertContent: prepare("INSERT INTO contents (file_id, bytes) VALUES (?, ?)"),
    content: prepare("SELECT bytes FROM contents WHERE file_id = ?"),
    deleteContent: prepare("DELETE FROM contents WHERE file_id = ?"),
    upload: prepare(`${selectUpload} WHERE f.key = ? AND f.is_current = 1`),
    uploads: prepare(`${selectUpload} WHERE f.key IN (SELECT value FROM json_each(?)) AND f.is_current = 1`),
    customId: prepare(`
      ${selectFile} WHERE f.app_id = ?1 AND f.custom_id = ?2 AND f.status = 'Uploaded' AND NOT ${isMeant("f")}
        AND (?3 = 'all' OR (f.hold IS NULL AND f.claim_by IS NULL AND (f.slug IS NULL OR f.registration_id IS NOT NULL)
          AND (f.remove_at IS NULL OR f.remove_at > ?4)))
      ORDER BY f.id DESC LIMIT 1`),
    byPath: prepare(fileByPath("all")),
    ofOwnerByPath: prepare(fileByPath("owner")),
    resume: prepare(`
      UPDATE files SET epoch = ?, resumed_at = ?, expires = ?, custom_id = ?, content_disposition = ?, acl = ?, cache = ?
      WHERE id = ?`),
    supersede: prepare(`
      UPDATE files SET is_current = 0, status = 'Failed', failure_code = ?, failure_message = ?, ended_at = ?
      WHERE id = ?`),
    dropDevEvent: prepare(
      "UPDATE deliveries SET status = 'dead' WHERE file_id = ? AND status = 'pending' AND is_dev = 1",
    ),
    letGo: prepare("UPDATE files SET is_current = 0 WHERE id = ?"),
    noteUrlsEnd: prepare(
      "UPDATE files SET urls_end = ?1 WHERE key = ?2 AND is_current = 1 AND app_id = ?3 AND coalesce(urls_end, 0) < ?1",
    ),
    deleteFile: prepare("DELETE FROM files WHERE id = ?"),
    interrupt: prepare(
      "UPDATE files SET epoch = epoch + 1 WHERE key = ? AND is_current = 1 AND status = 'Uploading' RETURNING epoch",
    ),
    finish: prepare(`
      UPDATE files SET status = 'Uploaded', file_hash = ?1, blob_ref = ?5, uploaded_at = ?2, remove_at = iif(hold, NULL, ?2 + keep_for),
        claim_by = iif(hold, NULL, ?2 + claim_within), registration_id = ${expectedRegistration}
      WHERE key = ?3 AND is_current = 1 AND status = 'Uploading' AND epoch = ?4 AND NOT ${isMeant("files")}
      RETURNING id, wire_id AS wireId, registration_id AS registrationId, hold`),
    fail: prepare(`
      UPDATE files SET status = 'Failed', epoch = epoch + ?, failure_code = ?, failure_message = ?, ended_at = ?,
        registration_id = ${expectedRegistration}
      WHERE key = ? AND is_current = 1 AND status = 'Uploading' AND epoch = ?
      RETURNING id, wire_id AS wireId, registration_id AS registrationId`),
    arrived: prepare("DELETE FROM expected_files WHERE key = ? AND wire_id = ?"),
    attachExpected: prepare(
      `UPDATE files SET registration_id = ${expectedRegistration} WHERE id = ? RETURNING registration_id AS id`,
    ),
    registration: prepare(selectRegistration),
    insertDelivery: prepare(insertDelivery),
    insertRegistration: prepare(`
      INSERT INTO registrations
        (app_id, metadata, callback_url, callback_slug, await_server_data, is_dev, traceparent, tracestate, registered_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`),
    expected: prepare("SELECT registration_id AS id, bytes FROM expected_files WHERE key = ? AND wire_id = ?"),
    expect: prepare(`
      INSERT INTO expected_files (key, wire_id, registration_id, expires, app_id, bytes) VALUES (?, ?, ?, ?, ?, ?)
      ON CONFLICT DO UPDATE SET registration_id = excluded.registration_id, expires = max(expires, excluded.expires),
        bytes = excluded.bytes`),
    expectedOfKey: prepare("SELECT bytes FROM expected_files WHERE key = ? LIMIT 1"),
    meant: prepare(`
      ${selectDeletable} WHERE key = ? AND is_current = 1 AND status <> 'Deleting' AND ${isMeant("files")}`),
    deletionOfOwner: prepare(
      "SELECT 1 FROM deletions WHERE app_id = ? AND owner = ? AND prefix = '' AND asked_at >= ? AND asked_at > ?",
    ),
    tombstone: prepare("SELECT deleted_at AS deletedAt, until FROM tombstones WHERE app_id = ? AND key = ?"),
    prolongTombstone: prepare("UPDATE tombstones SET until = ?1 WHERE app_id = ?2 AND key = ?3 AND until < ?1"),
    bury: prepare(`
      INSERT INTO tombstones (app_id, key, deleted_at, until, had_file) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (app_id, key) DO UPDATE SET deleted_at = max(deleted_at, excluded.deleted_at),
        until = max(until, excluded.until), had_file = max(had_file, excluded.had_file)`),
    forgetTombstones: prepare(`
      DELETE FROM tombstones WHERE (app_id, key) IN (
        SELECT app_id, key FROM tombstones WHERE until <= ? ORDER BY until LIMIT ?)`),
    prolong: prepare("UPDATE files SET expires = max(expires, ?) WHERE id = ?"),
    ofWireId: prepare(ofWireId("is_current = 1")),
    replacedOfWireId: prepare(`${ofWireId("is_current = 0")} ORDER BY f.id DESC LIMIT 1`),
    attach: prepare("UPDATE files SET registration_id = ? WHERE id = ?"),
    ofEvent: prepare(
      "SELECT f.id FROM deliveries d JOIN files f ON f.id = d.file_id WHERE d.id = ? AND f.key = ? AND f.app_id = ?",
    ),
    ofApp: prepare("SELECT id, status FROM files WHERE key = ? AND is_current = 1 AND app_id = ?"),
    result: prepare(`
      UPDATE files SET result_at = ?, result_data = ?, result_error = ?
      WHERE id = ? AND status = 'Uploaded' AND hold IS NULL AND result_data IS NULL`),
    acknowledge: prepare(
      "UPDATE deliveries SET status = 'delivered' WHERE file_id = ? AND status = 'pending' AND is_dev = 1",
    ),
    devAttempt: prepare(`
      SELECT id, attempts, failures, next_at AS nextAt, attempts - redelivered_after - 1 AS retry FROM deliveries
      WHERE file_id = ? AND status = 'pending' AND is_dev = 1`),
    appsWithDue: prepare(appsWithDue),
    dueOfApp: prepare(dueOfApp),
    dueOnStream: prepare(`
      SELECT file_id AS id FROM deliveries d JOIN registrations r ON r.id = d.registration_id
      WHERE d.status = 'pending' AND d.is_dev = 1 AND d.app_id = ? AND d.next_at <= ?
        AND d.id NOT IN (SELECT value FROM json_each(?)) AND r.callback_slug = ?
      ORDER BY d.next_at, d.file_id LIMIT ?`),
    claim: prepare("UPDATE deliveries SET attempts = attempts + 1, next_at = ? WHERE file_id = ?"),
    due: prepare(`${selectDue} WHERE d.file_id = ?`),
    insertAttempt: prepare(`
      INSERT INTO attempts (delivery_id, attempt, started_at, latency, status, error, answer)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`),
    endAttempt: prepare(`
      UPDATE deliveries SET status = ?, failures = iif(?, failures, iif(is_dev, attempts, failures + 1)),
        next_at = coalesce(?, next_at)
      WHERE id = ? AND attempts = ? AND status = 'pending'`),
    fileOfEvent: prepare("SELECT file_id AS id FROM deliveries WHERE id = ?"),
    redeliver: prepare(`
      UPDATE deliveries SET status = 'pending', failures = attempts, redelivered_after = attempts, next_at = ?
      WHERE id = ? AND (status <> 'pending' OR attempts = failures)
        AND (is_dev = 0 OR file_id IN (SELECT id FROM files WHERE is_current = 1))`),
    countCallbackUrl: prepare(`
      UPDATE usage SET catalog_bytes = catalog_bytes + octet_length(?1) - octet_length(former.url)
      FROM (
        SELECT r.app_id AS appId, r.callback_url AS url
        FROM deliveries d JOIN registrations r ON r.id = d.registration_id WHERE d.id = ?2
      ) AS former
      WHERE app_id = former.appId`),
    moveCallbacks: prepare(
      "UPDATE registrations SET callback_url = ?1 WHERE id = (SELECT registration_id FROM deliveries WHERE id = ?2)",
    ),
    forgetError: prepare("UPDATE files SET result_error = NULL WHERE id = ? AND result_error IS NOT NULL"),
    nextDueAt: prepare(nextDueAt),
    countDeliveries: prepare(`
      SELECT (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE status = 'pending' LIMIT ?1)) AS pending,
        (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE status = 'dead' LIMIT ?1)) AS dead`),
    releaseClaims: prepare(
      "UPDATE deliveries SET failures = attempts, next_at = ? WHERE status = 'pending' AND attempts > failures",
    ),
    appCreatedAt: prepare("SELECT created_at AS createdAt FROM apps WHERE id = ?"),
    usage: prepare(
      // Sums that a number cannot hold would throw; they exceed every quota anyway.
      `SELECT files, min(stored_bytes, 9007199254740991) AS storedBytes,
        min(announced_bytes, 9007199254740991) AS announcedBytes, catalog_bytes AS catalogBytes,
        expected_files AS expectedFiles, expected_bytes AS expectedBytes FROM usage WHERE app_id = ?`,
    ),
    ownerUsage: prepare(`
      SELECT files, min(stored_bytes, 9007199254740991) AS storedBytes,
        min(announced_bytes, 9007199254740991) AS announcedBytes FROM owner_usage WHERE app_id = ? AND owner = ?`),
    expired: prepare(
      "SELECT key, epoch FROM files WHERE status = 'Uploading' AND expires < ? ORDER BY expires LIMIT ?",
    ),
    dropUnregistered: prepare(`
      UPDATE files SET status = 'Deleting', ended_at = ? WHERE id IN (
        SELECT f.id FROM files f
        WHERE f.status = 'Uploaded' AND f.slug IS NOT NULL AND f.registration_id IS NULL AND f.uploaded_at < ?
        ORDER BY f.uploaded_at LIMIT ?)`),
    abandoned: prepare(`
      DELETE FROM expected_files WHERE (key, wire_id) IN (
        SELECT e.key, e.wire_id FROM expected_files e WHERE e.expires < ? AND NOT EXISTS (
          SELECT 1 FROM files f
          WHERE f.key = e.key AND f.wire_id = e.wire_id AND f.is_current = 1 AND f.status = 'Uploading')
        ORDER BY e.expires LIMIT ?)
      RETURNING registration_id AS id`),
    dropRegistration: prepare(`
      DELETE FROM registrations AS r WHERE r.id = ?
        AND NOT EXISTS (SELECT 1 FROM expected_files e WHERE e.registration_id = r.id)
        AND NOT EXISTS (SELECT 1 FROM files f WHERE f.registration_id = r.id)`),
    reclaimable: prepare(selectReclaimable),
    failedHistory: prepare(`
      SELECT f.id, f.registration_id AS registrationId FROM files f
      WHERE f.status = 'Failed' AND f.has_bytes = 0 AND f.expires < ?
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.file_id = f.id AND d.status = 'pending' AND d.is_dev = 0)
      LIMIT ?`),
    pruneAttempts: prepare(`
      DELETE FROM attempts WHERE (delivery_id, attempt) IN (
        SELECT delivery_id, attempt FROM attempts WHERE started_at < ? ORDER BY started_at LIMIT ?)`),
    keepFailed: prepare("UPDATE files SET has_bytes = 0 WHERE id = ? AND status = 'Failed'"),
    replaced: prepare(`
      SELECT registration_id AS registrationId FROM files f WHERE f.id = ? AND f.status = 'Failed' AND f.is_current = 0
        AND f.has_bytes = 0 AND (f.wire_id = '' OR f.registration_id IS NOT NULL)
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.file_id = f.id)`),
    deleting: prepare(
      "SELECT registration_id AS registrationId FROM files WHERE id = ? AND key = ? AND status = 'Deleting'",
    ),
    deleteAttempts: prepare("DELETE FROM attempts WHERE delivery_id = (SELECT id FROM deliveries WHERE file_id = ?)"),
    deleteDelivery: prepare("DELETE FROM deliveries WHERE file_id = ?"),
  }
}

/** All statements of the SQLite catalog. */
export type Statements = ReturnType<typeof prepareStatements>

/** The first row a statement finds. */
export const one = (statement: StatementSync, ...values: ReadonlyArray<SupportedValueType>): Row | undefined =>
  statement.get(...values) as Row | undefined

/** All rows a statement finds. */
export const all = (statement: StatementSync, ...values: ReadonlyArray<SupportedValueType>): ReadonlyArray<Row> =>
  statement.all(...values) as ReadonlyArray<Row>
