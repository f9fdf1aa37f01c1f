import { CatalogError } from "../catalog.ts"
import { createDatabase, type Database } from "./database.ts"
import { ignoreBroken, type PostgresPool } from "./pool.ts"
import { migrate, migrations, versionedSchema } from "./schema.ts"
import { quoteName } from "./translate.ts"

/** A database whose tables are made, or upgraded, when something is asked for the first time. */
const withTables = (database: Database, schema: string): Database & { readonly close: () => Promise<void> } => {
  const { read, call, write } = database
  const running = new Set<Promise<unknown>>()
  let migrated: Promise<void> | undefined
  let isClosed = false
  const ready = async (): Promise<void> => {
    migrated ??= migrate(database, schema).catch((cause: unknown) => {
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
  return {
    read: {
      all: (sql, ...values) => run(() => read.all(sql, ...values)),
      one: (sql, ...values) => run(() => read.one(sql, ...values)),
      run: (sql, ...values) => run(() => read.run(sql, ...values)),
    },
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
  const database = withTables(createDatabase(pool, schema, `SELECT ${functions}.hold_keys(?::text[])`), schema)
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
