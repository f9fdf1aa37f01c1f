import { createDatabase } from "./database.ts"
import type { PostgresPool } from "./pool.ts"
import { migrations } from "./schema.ts"
import { quoteName } from "./translate.ts"

/** Which schema a database has. */
export interface PostgresSchema {
  /** Migrations that it has been through; 0: there is no catalog in it. */
  readonly is: number
  /** The oldest version of the schema whose processes may work with it. */
  readonly oldest: number
  /** Migrations that this package knows. */
  readonly known: number
}

/** A process that works on a catalog. */
export interface PostgresProcess {
  /** Whether its lease has not ended. */
  readonly isAlive: boolean
  /** ms until its lease ends, or since. */
  readonly lease: number
}

/** What is known of a catalog without working on it: nothing is migrated, and no process is noted. */
export interface PostgresCatalogReader {
  readonly readSchema: () => Promise<PostgresSchema>
  /** The apps of which the catalog keeps anything. */
  readonly listAppIds: () => Promise<ReadonlyArray<string>>
  /** Those that it knows; undefined where its schema knows of none. */
  readonly listProcesses: () => Promise<ReadonlyArray<PostgresProcess> | undefined>
}

const hasTable = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = ? AND tablename = ?"

/**
 * Reads what is known of a catalog in PostgreSQL.
 *
 * Fails: rejects with a `CatalogError` where the database fails.
 */
export const readPostgresCatalog = ({
  pool,
  schema = "sluice",
}: {
  readonly pool: PostgresPool
  readonly schema?: string | undefined
}): PostgresCatalogReader => {
  // No key is held here.
  const { read: sql } = createDatabase(pool, schema, "SELECT 1")
  const nameTable = (table: string): string => `${quoteName(schema)}.${table}`
  const has = async (table: string): Promise<boolean> => (await sql.one(hasTable, schema, table)) !== undefined
  return {
    readSchema: async () => {
      const known = migrations.length
      if (!(await has("schema_version"))) return { is: 0, oldest: 0, known }
      const row = await sql.one(`SELECT version, oldest FROM ${nameTable("schema_version")}`)
      return { is: Number(row?.["version"] ?? 0), oldest: Number(row?.["oldest"] ?? 0), known }
    },
    // Files of a deleted app whose bytes are left belong to ''.
    listAppIds: async () => {
      const rows = await sql.all(
        "SELECT app_id FROM usage WHERE app_id <> '' GROUP BY app_id HAVING sum(catalog_bytes) > 0 ORDER BY app_id",
      )
      return rows.map((row) => row["app_id"] as string)
    },
    listProcesses: async () => {
      if (!(await has("processes"))) return undefined
      const rows = await sql.all(
        `SELECT floor(lease_until - extract(epoch FROM clock_timestamp()) * 1000)::bigint AS lease FROM ${nameTable("processes")} ORDER BY 1 DESC`,
      )
      return rows.map((row) => ({ isAlive: Number(row["lease"]) > 0, lease: Math.abs(Number(row["lease"])) }))
    },
  }
}
