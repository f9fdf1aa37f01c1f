import { createDatabase } from "./database.ts"
import type { PostgresPool } from "./pool.ts"
import { hasTable, migrations } from "./schema.ts"
import { quoteName } from "./translate.ts"
import { types } from "./values.ts"

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

/** What a server says of itself. */
export interface PostgresServer {
  /** As people write it: `16.4`. */
  readonly version: string
  /** As it is compared: 160004. */
  readonly number: number
  /** Whether it only follows another one, and nothing can be written. */
  readonly isStandby: boolean
  readonly isReadOnly: boolean
  readonly synchronousCommit: string
  /** Whether this user may make the schemas of a catalog. */
  readonly mayCreate: boolean
  /** How far its clock is ahead of this machine's, ms; negative: behind. */
  readonly ahead: number
  /** How long it took to answer, ms. */
  readonly answerTime: number
  /** Whether something stands before it that lends its sessions; undefined where the pool does not tell. */
  readonly isPooled: boolean | undefined
}

/** What is known of a catalog without working on it: nothing is migrated, and no process is noted. */
export interface PostgresCatalogReader {
  readonly readSchema: () => Promise<PostgresSchema>
  /** The apps of which the catalog keeps anything. */
  readonly listAppIds: () => Promise<ReadonlyArray<string>>
  /** Those that it knows; undefined where its schema knows of none. */
  readonly listProcesses: () => Promise<ReadonlyArray<PostgresProcess> | undefined>
  readonly readServer: () => Promise<PostgresServer>
}

const aboutServer = `
  SELECT current_setting('server_version') AS version, current_setting('server_version_num')::int AS number,
    pg_is_in_recovery() AS "isStandby", current_setting('default_transaction_read_only') = 'on' AS "isReadOnly",
    current_setting('synchronous_commit') AS "synchronousCommit",
    has_database_privilege(current_database(), 'CREATE') AS "mayCreate",
    floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now, pg_backend_pid() AS pid`

/** What the server says on one connection, and what that says of itself: a pooler makes up the number of a session. */
const readServer = async (pool: PostgresPool): Promise<PostgresServer> => {
  const client = await pool.connect()
  try {
    const ask = async () => (await client.query({ text: aboutServer, values: [], types })).rows[0]!
    // The first answer of a connection takes longer.
    await ask()
    const [startedAt, start] = [Date.now(), performance.now()]
    const { now, pid, ...facts } = await ask()
    const answerTime = performance.now() - start
    const { processID } = client as { readonly processID?: unknown }
    return {
      ...(facts as unknown as Omit<PostgresServer, "ahead" | "answerTime" | "isPooled">),
      ahead: Math.round(Number(now) - (startedAt + answerTime / 2)),
      answerTime,
      isPooled: typeof processID === "number" ? processID !== pid : undefined,
    }
  } finally {
    client.release()
  }
}

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
  return {
    readSchema: async () => {
      const known = migrations.length
      if (!(await hasTable(sql, schema, "schema_version"))) return { is: 0, oldest: 0, known }
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
    readServer: () => readServer(pool),
    listProcesses: async () => {
      if (!(await hasTable(sql, schema, "processes"))) return undefined
      const rows = await sql.all(
        `SELECT floor(lease_until - extract(epoch FROM clock_timestamp()) * 1000)::bigint AS lease FROM ${nameTable("processes")} ORDER BY 1 DESC`,
      )
      return rows.map((row) => ({ isAlive: Number(row["lease"]) > 0, lease: Math.abs(Number(row["lease"])) }))
    },
  }
}
