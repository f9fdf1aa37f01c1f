import type { Database, Sql, Transaction } from "./database.ts"
import { events } from "./migrations/01-events.ts"
import { firstSchema } from "./migrations/01-first-schema.ts"
import { functions } from "./migrations/01-functions.ts"
import { usage } from "./migrations/01-usage.ts"
import { functionsOfProcesses } from "./migrations/02-functions.ts"
import { journal } from "./migrations/02-journal.ts"
import { processes } from "./migrations/02-processes.ts"
import { qualify, quoteName } from "./translate.ts"

/** A step from one schema to the next one. */
export interface Migration {
  /** @param versioned the schema for the functions of this version */
  readonly sql: (schema: string, versioned: string) => string
  /** The oldest version of the schema whose processes may go on working with the result. */
  readonly oldest: number
}

/** Steps from nothing to the newest schema, in order; a released one is never changed. */
export const migrations: ReadonlyArray<Migration> = [
  {
    sql: (schema, versioned) =>
      `${firstSchema(schema)}${usage(schema)}${events(schema)}${functions(schema, versioned)}`,
    oldest: 1,
  },
  {
    sql: (schema, versioned) =>
      `${processes(schema, versioned)}${functionsOfProcesses(schema, versioned)}${journal(schema, versioned)}`,
    oldest: 1,
  },
]

/** Where the functions of a version are. */
export const versionedSchema = (schema: string, version: number): string => `${schema}_${version}`

/** How long a migration waits for what it has to lock, before it is given up and tried again. */
const lockTimeout = "10s"

// By queries: what a session remembers of names may be older than the transaction that it has waited for.
const table = "SELECT 1 FROM pg_catalog.pg_tables WHERE schemaname = ? AND tablename = ?"
const hasSchema = "SELECT 1 FROM pg_catalog.pg_namespace WHERE nspname = ?"

/** Whether there is a table. */
export const hasTable = async (sql: Pick<Sql, "one">, schema: string, name: string): Promise<boolean> =>
  (await sql.one(table, schema, name)) !== undefined

const findVersion = async (sql: Pick<Transaction, "one">, schema: string) => {
  if (!(await hasTable(sql, schema, "schema_version"))) return { version: 0, oldest: 0 }
  const row = await sql.one(`SELECT version, oldest FROM ${quoteName(schema)}.schema_version`)
  return row as unknown as { readonly version: number; readonly oldest: number }
}

const create = async (sql: Transaction, schema: string): Promise<void> => {
  // Whoever may not make one may use one that is there.
  if ((await sql.one(hasSchema, schema)) === undefined) await sql.run(`CREATE SCHEMA ${quoteName(schema)}`)
}

/**
 * Upgrades a database to the newest schema, also when many processes begin at the same moment.
 *
 * Fails: rejects when a newer version of this package has made it one that this version cannot work with.
 */
export const migrate = async (
  { read, write }: Database,
  schema: string,
  steps: ReadonlyArray<Migration> = migrations,
): Promise<void> => {
  const { version, oldest } = await findVersion(read, schema)
  if (oldest > steps.length) {
    throw new Error(`The catalog is of version ${version}, newer than this package can work with (${steps.length}).`)
  }
  if (version >= steps.length) return
  await write(async (sql) => {
    await sql.run(`SET LOCAL lock_timeout = '${lockTimeout}'`)
    await sql.run("SELECT pg_advisory_xact_lock(hashtextextended(?, 0))", `sluice catalog ${schema}`)
    const found = await findVersion(sql, schema)
    await create(sql, schema)
    for (const [index, step] of steps.entries()) {
      if (found.version > index) continue
      const versioned = versionedSchema(schema, index + 1)
      await create(sql, versioned)
      await sql.run(qualify(step.sql(quoteName(schema), quoteName(versioned)), schema))
    }
    if (found.version >= steps.length) return
    const names = quoteName(schema)
    await sql.run(`
      CREATE TABLE IF NOT EXISTS ${names}.schema_version (version integer NOT NULL, oldest integer NOT NULL);
      DELETE FROM ${names}.schema_version;
      INSERT INTO ${names}.schema_version VALUES (${steps.length}, ${steps.at(-1)!.oldest})`)
  })
}
