import { DatabaseSync } from "node:sqlite"
import { createSqliteCatalog } from "../../src/ingest.ts"
import { encodeAppId } from "../../src/protocol.ts"

export const appId = "bench"

/** Whose three of four files of the app {@link appId} are, and how the paths of nine of ten begin. */
export const owner = "user-7"
export const albums = "albums/summer/"

/** Of the file with this number, from 1. */
export const keyOf = (prefix: string, number: number): string => `${prefix}${String(number).padStart(22, "0")}`

/**
 * Makes a catalog with so many files of the app {@link appId}, and as many of another one between them, which have no
 * labels. One in a hundred is under way, one has failed. The rows are written past the ingest, or a million would take
 * minutes.
 */
export const fillCatalog = async (file: string, files: number): Promise<void> => {
  await createSqliteCatalog({ file }).close()
  const database = new DatabaseSync(file)
  const sha256 = "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
  database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; BEGIN")
  database
    .prepare(
      `WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ?1)
      INSERT INTO files (key, app_id, status, name, size, type, custom_id, slug, origin, expires, epoch, created_at,
        uploaded_at, file_hash, has_bytes, owner, path)
      SELECT iif(a, ?2, ?3) || printf('%022d', n), iif(a, '${appId}', 'neighbour'),
        CASE n % 100 WHEN 0 THEN 'Uploading' WHEN 50 THEN 'Failed' ELSE 'Uploaded' END,
        printf('photo-%07d.jpg', n), 204800, 'image/jpeg', iif(n % 10 = 0, 'custom-' || n, NULL), 'avatar',
        'http://localhost:4790', 4e12, 1, 1.7e12 + n, iif(n % 50 = 0, NULL, 1.7e12 + n), iif(n % 50 = 0, NULL, '${sha256}'),
        n % 100 <> 50, iif(a, iif(n % 4 = 0, 'user-' || n, '${owner}'), NULL),
        iif(a, iif(n % 10 = 0, 'reports/', '${albums}') || printf('photo-%07d.jpg', n), NULL)
      FROM numbers, (SELECT 1 AS a UNION ALL SELECT 0)`,
    )
    .run(files, encodeAppId(appId), encodeAppId("neighbour"))
  // As every file has that an app was told of: else housekeeping would take them for abandoned.
  database.exec(`
    INSERT INTO registrations (app_id, metadata, callback_url, callback_slug, await_server_data, is_dev)
      VALUES ('${appId}', 'null', 'http://localhost:3000/api/sluice', 'avatar', 0, 0);
    UPDATE files SET registration_id = 1;
    COMMIT; PRAGMA wal_checkpoint(TRUNCATE)`)
  database.close()
}
