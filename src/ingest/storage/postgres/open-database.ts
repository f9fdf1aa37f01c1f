import { CatalogError } from "../catalog/catalog.ts"
import { createDatabase, type Database, type Sql } from "./database.ts"
import { ignoreBroken, type PostgresPool } from "./pool.ts"
import { migrate, migrations, versionedSchema } from "./schema.ts"
import { quoteName } from "./translate.ts"

/** A database whose tables are made, or upgraded, when something is asked for the first time. */
const withTables = (
  database: Database,
  patient: Database,
  schema: string,
): Database & { readonly close: () => Promise<void> } => {
  const { read, look, call, write } = database
  const running = new Set<Promise<unknown>>()
  let migrated: Promise<void> | undefined
  let isClosed = false
  const ready = async (): Promise<void> => {
    migrated ??= migrate(patient, schema).catch((cause: unknown) => {
      // The next call tries again: the server may not have been there.
      migrated = undefined
      throw cause
    })
    await migrated
  }
  const run = <A>(work: () => Promise<A>): Promise<A> => {
    if (isClosed) return Promise.reject(new CatalogError("io", "The database was closed: open it again to use it."))
    const asked = ready().then(work)
    const ended = asked.then(
      () => {},
      () => {},
    )
    running.add(ended)
    void ended.then(() => running.delete(ended))
    return asked
  }
  const wrap = (sql: Sql): Sql => ({
    all: (text, ...values) => run(() => sql.all(text, ...values)),
    one: (text, ...values) => run(() => sql.one(text, ...values)),
    run: (text, ...values) => run(() => sql.run(text, ...values)),
  })
  return {
    read: wrap(read),
    look: wrap(look),
    call: (sql, ...values) => run(() => call(sql, ...values)),
    write: (work) => run(() => write(work)),
    close: async () => {
      isClosed = true
      await Promise.all(running)
    },
  }
}

/** What is kept in one schema of a database. */
export interface OpenDatabase {
  readonly database: Database
  /** The schema of the functions of this version, as it stands in a statement. */
  readonly functions: string
  /** Resolves when nothing is under way any more. The pool stays as it is. */
  readonly close: () => Promise<void>
}

/** Opens a schema of a database, whose tables are made, or upgraded, when something is asked for the first time. */
export const openDatabase = (pool: PostgresPool, schema: string): OpenDatabase => {
  // It stands in statements, and in the names of sequences.
  if (!/^[\w -]{1,50}$/.test(schema))
    throw new Error(`${JSON.stringify(schema)} cannot be the name of the catalog's schema.`)
  const functions = quoteName(versionedSchema(schema, migrations.length))
  const holdKeys = `SELECT ${functions}.hold_keys(?::text[])`
  const patient = createDatabase(pool, schema, holdKeys, { isPatient: true })
  const database = withTables(createDatabase(pool, schema, holdKeys), patient, schema)
  const heedBroken = ignoreBroken(pool)
  return {
    database,
    functions,
    close: async () => {
      await database.close()
      heedBroken()
    },
  }
}
