import type pg from "pg"
import { afterAll, beforeAll, describe, test } from "vitest"
import { testCatalog } from "../../../../src/conformance.ts"
import { createPostgresCatalog } from "../../../../src/postgres.ts"
import { startPostgres, type TestPostgres } from "../../../start-postgres.ts"

let postgres: TestPostgres
let pool: pg.Pool
let schemas = 0

beforeAll(async () => {
  postgres = await startPostgres()
  pool = postgres.createPool({ max: 8 })
})

afterAll(async () => {
  await pool.end()
  await postgres.stop()
})

const nameSchema = (): string => `catalog ${schemas}`

/** What is no history of files: one row for each app, and counters. */
const standing: ReadonlySet<string> = new Set(["usage", "apps_revision", "schema_version"])

/** Of every table there is, but those. */
const countRows = async (): Promise<Readonly<Record<string, number>>> => {
  const { rows } = await pool.query<{ readonly name: string }>(
    "SELECT table_name AS name FROM information_schema.tables WHERE table_schema = $1",
    [nameSchema()],
  )
  const names = rows.map(({ name }) => name).filter((name) => !standing.has(name))
  const counts: Record<string, number> = {}
  for (const name of names) {
    const counted = await pool.query(`SELECT count(*)::int AS rows FROM "${nameSchema()}"."${name}"`)
    counts[name] = counted.rows[0].rows
  }
  return counts
}

const dropSchema = async (): Promise<void> => {
  await pool.query(`DROP SCHEMA IF EXISTS "${nameSchema()}" CASCADE; DROP SCHEMA IF EXISTS "${nameSchema()}_1" CASCADE`)
}

const open = async () => createPostgresCatalog({ pool, schema: nameSchema() })

testCatalog({ describe, test }, "PostgreSQL", {
  create: async () => {
    schemas++
    const catalog = await open()
    // Its tables are made when it is asked for the first time.
    await catalog.probe()
    return catalog
  },
  reopen: open,
  breakDown: dropSchema,
  cleanUp: dropSchema,
  count: countRows,
})
