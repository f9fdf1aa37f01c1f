import { createDatabase } from "./database.ts"
import type { PostgresPool } from "./pool.ts"
import { hasTable } from "./schema.ts"
import { quoteName } from "./translate.ts"

/** Short texts that are kept beside a catalog, for whoever works on it. */
export interface PostgresNotes {
  readonly read: (name: string) => Promise<string | undefined>
  readonly write: (name: string, text: string) => Promise<void>
  /** Writes it where nobody has; returns the one that counts. */
  readonly keepFirst: (name: string, text: string) => Promise<string>
}

/**
 * Notes in the table `notes` of a catalog's schema, which has to be there; the table is made by the first one that is
 * written. The catalog itself reads none of them, so they are no part of its migrations.
 *
 * Fails: rejects with a `CatalogError` where the database fails.
 */
export const createPostgresNotes = ({
  pool,
  schema = "sluice",
}: {
  readonly pool: PostgresPool
  readonly schema?: string | undefined
}): PostgresNotes => {
  // No key is held here.
  const { read: sql, write } = createDatabase(pool, schema, "SELECT 1")
  const table = `${quoteName(schema)}.notes`

  const make = async (): Promise<void> => {
    if (await hasTable(sql, schema, "notes")) return
    await write(async (transaction) => {
      await transaction.run("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", `sluice catalog ${schema}`)
      await transaction.run(
        `CREATE TABLE IF NOT EXISTS ${table} (name text COLLATE "C" PRIMARY KEY, value text NOT NULL)`,
      )
    })
  }

  const read = async (name: string): Promise<string | undefined> => {
    if (!(await hasTable(sql, schema, "notes"))) return undefined
    const row = await sql.one(`SELECT value FROM ${table} WHERE name = ?`, name)
    return row?.["value"] as string | undefined
  }

  return {
    read,
    write: async (name, text) => {
      await make()
      await sql.run(
        `INSERT INTO ${table} VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value`,
        name,
        text,
      )
    },
    keepFirst: async (name, text) => {
      await make()
      await sql.run(`INSERT INTO ${table} VALUES (?, ?) ON CONFLICT (name) DO NOTHING`, name, text)
      return (await read(name)) ?? text
    },
  }
}
