import type pg from "pg"
import { afterAll, beforeAll } from "vitest"
import type { Catalog } from "../../src/ingest.ts"
import { createPostgresCatalog } from "../../src/postgres.ts"
import { startPostgres, type TestPostgres } from "../start-postgres.ts"
import { makeFirstVersion } from "../ingest/storage/postgres/first-version.ts"
import { describeRaces } from "./catalog-races.ts"

let postgres: TestPostgres
let pools: ReadonlyArray<pg.Pool>
let catalogs: readonly [Catalog, Catalog]
let schemas = 0

beforeAll(async () => {
  postgres = await startPostgres()
  pools = [postgres.createPool({ max: 8 }), postgres.createPool({ max: 8 })]
  catalogs = [createPostgresCatalog({ pool: pools[0]! }), createPostgresCatalog({ pool: pools[1]! })]
})

afterAll(async () => {
  await Promise.all(catalogs.map((catalog) => catalog.close()))
  await Promise.all(pools.map((pool) => pool.end()))
  await postgres.stop()
})

describeRaces("PostgreSQL", {
  catalogs: () => catalogs,
  openAnother: () => createPostgresCatalog({ pool: pools[1]! }),
  openMany: async (count, over) => {
    const schema = `races_${++schemas}`
    if (over === "the first version") await makeFirstVersion(pools[0]!, schema)
    return Array.from({ length: count }, (_, i) => createPostgresCatalog({ pool: pools[i % 2]!, schema }))
  },
  countExpected: async () => {
    const [row] = await postgres.run("SELECT count(*)::int AS count FROM sluice.expected_files WHERE app_id = 'app'")
    return row!["count"] as number
  },
  rounds: Number(process.env["RACE_ROUNDS"] ?? 500),
})
