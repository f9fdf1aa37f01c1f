import type { AppSettings } from "../catalog/apps.ts"
import type { Row } from "./rows.ts"

/** The column of each setting. */
export const columns = {
  name: "name",
  defaultAcl: "default_acl",
  quota: "quota",
  callbackOrigins: "callback_origins",
} as const satisfies Record<keyof AppSettings, string>

/** The column's value of a setting; `unlimited` is -1, a list its JSON. */
export const toColumn = (value: AppSettings[keyof AppSettings]): string | number | null => {
  if (value === "unlimited") return -1
  return typeof value === "object" && value !== null ? JSON.stringify(value) : value
}

/** The settings that a row of {@link selectApps} says. */
export const toSettings = (row: Row): AppSettings => ({
  name: row.name as string | null,
  defaultAcl: row.defaultAcl as AppSettings["defaultAcl"],
  quota: row.quota === -1 ? "unlimited" : (row.quota as number | null),
  callbackOrigins: row.callbackOrigins === null ? null : JSON.parse(row.callbackOrigins as string),
})

export const selectApps = `
  SELECT id, name, default_acl AS "defaultAcl", quota, callback_origins AS "callbackOrigins", created_at AS "createdAt"
  FROM apps ORDER BY created_at, id`

export const selectKeys = `
  SELECT id, app_id AS "appId", api_key AS "apiKey", created_at AS "createdAt", revoked_at AS "revokedAt"
  FROM app_keys ORDER BY created_at DESC, rowid DESC`

export const insertApp = `
  INSERT INTO apps (id, key_prefix, created_at, ${Object.values(columns).join(", ")})
  VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`

export const countActive = "SELECT count(*) AS active FROM app_keys WHERE app_id = ? AND revoked_at IS NULL"

export const revoke = `
  UPDATE app_keys SET revoked_at = ?, api_key = NULL WHERE id = ? AND app_id = ? AND revoked_at IS NULL`

/** Bytes that are not removed yet belong to no app from then on: housekeeping finds them by their own ids. */
export const forgetAll = [
  "DELETE FROM endpoint_secrets WHERE endpoint_id IN (SELECT id FROM endpoints WHERE app_id = :id)",
  "DELETE FROM endpoints WHERE app_id = :id",
  `DELETE FROM attempts WHERE delivery_id IN (
    SELECT d.id FROM deliveries d JOIN files f ON f.id = d.file_id WHERE f.app_id = :id)`,
  "DELETE FROM deliveries WHERE file_id IN (SELECT id FROM files WHERE app_id = :id)",
  "DELETE FROM expected_files WHERE app_id = :id",
  "DELETE FROM tombstones WHERE app_id = :id",
  "DELETE FROM deletions WHERE app_id = :id",
  "DELETE FROM files WHERE app_id = :id AND status = 'Failed' AND has_bytes = 0",
  "UPDATE files SET app_id = '', owner = NULL, path = NULL, is_current = 0, status = 'Deleting', registration_id = NULL WHERE app_id = :id",
  "DELETE FROM registrations WHERE app_id = :id",
  "DELETE FROM usage WHERE app_id = :id",
  "DELETE FROM owner_usage WHERE app_id = :id",
]

export const findFile =
  "SELECT 1 FROM files WHERE app_id = ? AND is_current = 1 AND status IN ('Uploading', 'Uploaded', 'Deleting') LIMIT 1"
