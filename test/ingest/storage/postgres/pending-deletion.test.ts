import type pg from "pg"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { openDatabase } from "../../../../src/ingest/storage/postgres/open-database.ts"
import type { PostgresPool } from "../../../../src/ingest/storage/postgres/pool.ts"
import { toStepReader } from "../../../../src/ingest/storage/postgres/step-reader.ts"
import { createPostgresCatalog } from "../../../../src/postgres.ts"
import { startPostgres, type TestPostgres } from "../../../start-postgres.ts"
import { compareSteps, insertFiles, mixed, openDeletions } from "../list-in-steps.ts"

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
})

afterAll(() => postgres.stop())

/** A catalog with so many files of the app `app`, and what it asks from now on. */
const fill = async (schema: string, count: number, columns: Readonly<Record<string, string>>) => {
  const pool: pg.Pool = postgres.createPool({ max: 2 })
  const asked: Array<string> = []
  const watched: PostgresPool = {
    query: (query) => {
      asked.push(query.text)
      return pool.query(query as pg.QueryConfig)
    },
    connect: () => pool.connect(),
    options: { max: 2 },
  }
  const catalog = createPostgresCatalog({ pool: watched, schema })
  onTestFinished(async () => {
    await catalog.close()
    await pool.end()
  })
  await catalog.probe()
  await pool.query(`${insertFiles(columns, `${schema}.files`)} FROM generate_series(1, ${count}) AS i`)
  asked.length = 0
  return { pool, catalog, asked }
}

it("asks for few files at once while it passes by those of a deletion that has not reached them", async () => {
  const { catalog, asked } = await fill("passing", 60_000, {
    owner: "CASE WHEN i < 3 THEN 'v' ELSE 'u' END",
    path: "CASE WHEN i < 3 THEN 'q/' ELSE 'p/' END || i",
  })
  await catalog.deleteMatching({ appId: "app", selection: { owner: "u" }, limit: 1, now: 2 })
  const page = { appId: "app", limit: 10, status: "Uploaded" } as const
  for (const list of [
    () => catalog.list(page),
    () => catalog.listByPath({ ...page, prefix: "" }).then((found) => found.toReversed()),
  ]) {
    asked.length = 0
    expect((await list()).map(({ key }) => key)).toEqual(["k2", "k1"])
    expect(asked.length).toBeGreaterThan(10)
  }
})

it("lists in steps what it lists in one", async () => {
  const { pool } = await fill("steps", 120, mixed)
  await pool.query(openDeletions.replace("deletions", "steps.deletions"))
  const { database, close } = openDatabase(pool, "steps")
  onTestFinished(close)
  const except = { sql: "f.id <> ALL (:except::bigint[])", toValue: (ids: ReadonlyArray<number>) => ids }
  await compareSteps(toStepReader(database.read), except, [25])
})
