import type { DatabaseSync } from "node:sqlite"
import { selectDue, selectFile, selectUpload } from "./catalog-sqlite-rows.ts"

const insertFile = `
  INSERT INTO files (key, app_id, name, size, type, custom_id, slug, content_disposition, acl, origin, expires, epoch, created_at)
  VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`

/** The delivery row of an ended, registered file; a second one is never made. */
const insertDelivery = `
  INSERT INTO deliveries (file_id, id, registration_id, is_dev, hook, attempts, next_at)
  SELECT f.id, ?, r.id, r.is_dev, iif(f.status = 'Failed', 'error', 'callback'), iif(r.is_dev, 0, ?), iif(r.is_dev, ?, ?)
  FROM files f JOIN registrations r ON r.id = f.registration_id WHERE f.id = ?
  ON CONFLICT (file_id) DO NOTHING`

/** All statements of the SQLite catalog, prepared once. */
export const prepareStatements = (database: DatabaseSync) => {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    insertNew: prepare(`${insertFile} ON CONFLICT (key) WHERE is_current = 1 DO NOTHING RETURNING id`),
    insertFile: prepare(`${insertFile} RETURNING id`),
    insertWhole: prepare(`
      INSERT INTO files (key, app_id, name, size, type, custom_id, slug, content_disposition, acl, origin, expires, epoch,
        created_at, status, file_hash, uploaded_at, is_inline, registration_id)
      VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, 'Uploaded', ?14, ?13, 1,
        (SELECT registration_id FROM expected_files WHERE key = ?1))
      ON CONFLICT (key) WHERE is_current = 1 DO NOTHING RETURNING id, registration_id AS registrationId`),
    insertContent: prepare("INSERT INTO contents (file_id, bytes) VALUES (?, ?)"),
    content: prepare("SELECT bytes FROM contents WHERE file_id = ?"),
    deleteContent: prepare("DELETE FROM contents WHERE file_id = ?"),
    upload: prepare(`${selectUpload} WHERE f.key = ? AND f.is_current = 1`),
    customId: prepare(
      `${selectFile} WHERE f.app_id = ? AND f.custom_id = ? AND f.status = 'Uploaded' ORDER BY f.id DESC LIMIT 1`,
    ),
    goOn: prepare("UPDATE files SET epoch = ?, expires = ?, resumed_at = ? WHERE id = ?"),
    supersede: prepare(`
      UPDATE files SET is_current = 0, status = 'Failed', failure_code = coalesce(failure_code, ?),
        failure_message = coalesce(failure_message, ?), ended_at = coalesce(ended_at, ?) WHERE id = ?`),
    dropDevEvent: prepare(
      "UPDATE deliveries SET status = 'dead' WHERE file_id = ? AND status = 'pending' AND is_dev = 1",
    ),
    deleteFile: prepare("DELETE FROM files WHERE id = ?"),
    interrupt: prepare(
      "UPDATE files SET epoch = epoch + 1 WHERE key = ? AND is_current = 1 AND status = 'Uploading' RETURNING epoch",
    ),
    finish: prepare(`
      UPDATE files SET status = 'Uploaded', file_hash = ?, uploaded_at = ?,
        registration_id = (SELECT registration_id FROM expected_files e WHERE e.key = files.key)
      WHERE key = ? AND is_current = 1 AND status = 'Uploading' AND epoch = ?
      RETURNING id, registration_id AS registrationId`),
    fail: prepare(`
      UPDATE files SET status = 'Failed', failure_code = ?, failure_message = ?, ended_at = ?,
        registration_id = (SELECT registration_id FROM expected_files e WHERE e.key = files.key)
      WHERE key = ? AND is_current = 1 AND status = 'Uploading' AND epoch = ?
      RETURNING id, registration_id AS registrationId`),
    arrived: prepare("DELETE FROM expected_files WHERE key = ?"),
    insertDelivery: prepare(insertDelivery),
    insertRegistration: prepare(`
      INSERT INTO registrations
        (app_id, metadata, callback_url, callback_slug, await_server_data, is_dev, traceparent, tracestate, registered_at)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) RETURNING id`),
    expect: prepare(`
      INSERT INTO expected_files (key, registration_id, registered_at) VALUES (?, ?, ?)
      ON CONFLICT (key) DO UPDATE SET registration_id = excluded.registration_id, registered_at = excluded.registered_at`),
    ended: prepare(`
      SELECT f.id, f.status, d.id AS deliveryId FROM files f LEFT JOIN deliveries d ON d.file_id = f.id
      WHERE f.key = ? AND f.app_id = ? AND f.is_current = 1 AND f.status IN ('Uploaded', 'Failed')`),
    attach: prepare("UPDATE files SET registration_id = ? WHERE id = ?"),
    ofApp: prepare("SELECT id FROM files WHERE key = ? AND is_current = 1 AND app_id = ?"),
    result: prepare(`
      UPDATE files SET result_at = iif(result_data IS NULL, ?, result_at), result_data = coalesce(result_data, ?),
        result_error = coalesce(?, result_error)
      WHERE id = ? AND status = 'Uploaded'`),
    acknowledge: prepare(
      "UPDATE deliveries SET status = 'delivered' WHERE file_id = ? AND status = 'pending' AND is_dev = 1",
    ),
    claim: prepare(`
      UPDATE deliveries SET attempts = attempts + 1, next_at = ? WHERE file_id IN (
        SELECT file_id FROM deliveries WHERE status = 'pending' AND is_dev = 0 AND next_at <= ?
          AND id NOT IN (SELECT value FROM json_each(?))
        ORDER BY next_at, file_id LIMIT ?) RETURNING file_id AS id`),
    claimDev: prepare(`
      UPDATE deliveries SET attempts = attempts + 1, next_at = ? WHERE file_id IN (
        SELECT file_id FROM deliveries d JOIN registrations r ON r.id = d.registration_id
        WHERE d.status = 'pending' AND d.is_dev = 1 AND d.next_at <= ? AND d.id NOT IN (SELECT value FROM json_each(?))
          AND r.app_id = ? AND r.callback_slug = ?
        ORDER BY d.next_at, d.file_id LIMIT ?) RETURNING file_id AS id`),
    due: prepare(`${selectDue} WHERE d.file_id = ?`),
    insertAttempt: prepare(`
      INSERT INTO attempts (delivery_id, attempt, started_at, latency, status, error, answer)
      VALUES (?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT DO NOTHING`),
    endAttempt: prepare(`
      UPDATE deliveries SET status = ?, failures = failures + ?, next_at = coalesce(?, next_at)
      WHERE id = ? AND attempts = ? AND status = 'pending'`),
    redeliver: prepare(`
      UPDATE deliveries SET status = 'pending', failures = attempts, redelivered_after = attempts, next_at = ?
      WHERE id = ? AND (status <> 'pending' OR attempts = failures)
        AND (is_dev = 0 OR file_id IN (SELECT id FROM files WHERE is_current = 1))`),
    nextDueAt: prepare("SELECT min(next_at) AS at FROM deliveries WHERE status = 'pending' AND is_dev = 0"),
    countDeliveries: prepare(`
      SELECT (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE status = 'pending' LIMIT ?1)) AS pending,
        (SELECT count(*) FROM (SELECT 1 FROM deliveries WHERE status = 'dead' LIMIT ?1)) AS dead`),
    releaseClaims: prepare(
      "UPDATE deliveries SET failures = attempts, next_at = ? WHERE status = 'pending' AND attempts > failures",
    ),
    usage: prepare(
      "SELECT files, stored_bytes AS storedBytes, announced_bytes AS announcedBytes FROM usage WHERE app_id = ?",
    ),
    expired: prepare(
      "SELECT key, epoch FROM files WHERE status = 'Uploading' AND expires < ? ORDER BY expires LIMIT ?",
    ),
    dropUnregistered: prepare(`
      UPDATE files SET status = 'Deleting', ended_at = ? WHERE id IN (
        SELECT f.id FROM files f
        WHERE f.status = 'Uploaded' AND f.slug IS NOT NULL AND f.registration_id IS NULL AND f.uploaded_at < ? LIMIT ?)`),
    abandoned: prepare(`
      DELETE FROM expected_files WHERE key IN (
        SELECT e.key FROM expected_files e WHERE e.registered_at < ?
          AND NOT EXISTS (SELECT 1 FROM files f WHERE f.key = e.key AND f.is_current = 1 AND f.status = 'Uploading')
        LIMIT ?)
      RETURNING registration_id AS id`),
    dropRegistration: prepare(`
      DELETE FROM registrations AS r WHERE r.id = ?
        AND NOT EXISTS (SELECT 1 FROM expected_files e WHERE e.registration_id = r.id)
        AND NOT EXISTS (SELECT 1 FROM files f WHERE f.registration_id = r.id)`),
    reclaimable: prepare(`
      SELECT id, key FROM files WHERE status = 'Deleting'
      UNION ALL SELECT id, key FROM files WHERE status = 'Failed' AND has_bytes = 1 LIMIT ?`),
    failedHistory: prepare(`
      SELECT f.id, f.registration_id AS registrationId FROM files f
      WHERE f.status = 'Failed' AND f.has_bytes = 0 AND f.expires < ?
        AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.file_id = f.id AND d.status = 'pending')
      LIMIT ?`),
    pruneAttempts: prepare(`
      DELETE FROM attempts WHERE (delivery_id, attempt) IN (
        SELECT delivery_id, attempt FROM attempts WHERE started_at < ? ORDER BY started_at LIMIT ?)`),
    keepFailed: prepare("UPDATE files SET has_bytes = 0 WHERE id = ? AND status = 'Failed'"),
    deleting: prepare(
      "SELECT registration_id AS registrationId FROM files WHERE id = ? AND key = ? AND status = 'Deleting'",
    ),
    deleteAttempts: prepare("DELETE FROM attempts WHERE delivery_id = (SELECT id FROM deliveries WHERE file_id = ?)"),
    deleteDelivery: prepare("DELETE FROM deliveries WHERE file_id = ?"),
  }
}
