import type { DatabaseSync, StatementSync, SupportedValueType } from "node:sqlite"
import { type Row, selectUpload } from "../sql/rows.ts"
import { statements } from "../sql/statements.ts"

/** Prepares statements, by their names. */
export const prepareAll = <Name extends string>(
  database: DatabaseSync,
  texts: Readonly<Record<Name, string>>,
): Readonly<Record<Name, StatementSync>> =>
  Object.fromEntries(
    Object.entries<string>(texts).map(([name, sql]) => [name, database.prepare(sql)]),
  ) as unknown as Record<Name, StatementSync>

/** All statements of the SQLite catalog, prepared once. */
export const prepareStatements = (database: DatabaseSync) => {
  const prepare = (sql: string) => database.prepare(sql)
  return {
    ...prepareAll(database, statements),
    uploads: prepare(`${selectUpload} WHERE f.key IN (SELECT value FROM json_each(?)) AND f.is_current = 1`),
    usage: prepare(
      // Sums that a number cannot hold would throw; they exceed every quota anyway.
      `SELECT files, min(stored_bytes, 9007199254740991) AS storedBytes,
        min(announced_bytes, 9007199254740991) AS announcedBytes, catalog_bytes AS catalogBytes,
        expected_files AS expectedFiles, expected_bytes AS expectedBytes FROM usage WHERE app_id = ?`,
    ),
    ownerUsage: prepare(`
      SELECT files, min(stored_bytes, 9007199254740991) AS storedBytes,
        min(announced_bytes, 9007199254740991) AS announcedBytes FROM owner_usage WHERE app_id = ? AND owner = ?`),
    dueOnStream: prepare(`
      SELECT file_id AS id FROM deliveries d JOIN registrations r ON r.id = d.registration_id
      WHERE d.status = 'pending' AND d.is_dev = 1 AND d.app_id = ? AND d.next_at <= ?
        AND d.id NOT IN (SELECT value FROM json_each(?)) AND r.callback_slug = ?
      ORDER BY d.next_at, d.file_id LIMIT ?`),
    countCallbackUrl: prepare(`
      UPDATE usage SET catalog_bytes = catalog_bytes + octet_length(?1) - octet_length(former.url)
      FROM (
        SELECT r.app_id AS appId, r.callback_url AS url
        FROM deliveries d JOIN registrations r ON r.id = d.registration_id WHERE d.id = ?2
      ) AS former
      WHERE app_id = former.appId`),
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
