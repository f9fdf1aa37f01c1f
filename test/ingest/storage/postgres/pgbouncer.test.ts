import type pg from "pg"
import { expect, it, onTestFinished, type TestContext } from "vitest"
import { testCatalog } from "../../../../src/conformance.ts"
import { readPostgresCatalog } from "../../../../src/postgres.ts"
import { skipLacking } from "../../../skip-lacking.ts"
import { hasPgBouncer, startPgBouncer } from "../../../start-pgbouncer.ts"
import { startPostgres } from "../../../start-postgres.ts"
import { setUpSchema } from "./set-up-schema.ts"

const schema = "pooled"

/** Connections to a PostgreSQL of its own, through a PgBouncer. */
const startPooled = async (context: TestContext): Promise<pg.Pool> => {
  if (!hasPgBouncer()) skipLacking(context, "there is no PgBouncer: apt-get install pgbouncer")
  const postgres = await startPostgres()
  onTestFinished(postgres.stop)
  const pooler = await startPgBouncer(postgres.url)
  onTestFinished(pooler.stop)
  const pool = postgres.createPool({ connectionString: pooler.url, max: 16 })
  onTestFinished(() => pool.end())
  return pool
}

/** The cases of the suite of all catalogs, so that they run in one test. */
const listCases = (pool: () => pg.Pool): ReadonlyMap<string, () => unknown> => {
  const cases = new Map<string, () => unknown>()
  const path: Array<string> = []
  const describe = (title: string, define: () => void) => {
    path.push(title)
    define()
    path.pop()
  }
  const test = (title: string, run: () => unknown) => void cases.set([...path, title].join(" › "), run)
  testCatalog(
    { describe, test },
    "PostgreSQL behind PgBouncer",
    setUpSchema(pool, () => schema),
  )
  return cases
}

it("gives one connection several sessions, and the ingest says that it is there", async (context) => {
  const pool = await startPooled(context)
  const client = await pool.connect()
  const pids = new Set<unknown>()
  try {
    const others = await Promise.all([pool.connect(), pool.connect()])
    await Promise.all(others.map((other) => other.query("SELECT pg_sleep(0.1)")))
    for (const other of others) other.release()
    for (let n = 0; n < 8; n++) pids.add((await client.query("SELECT pg_backend_pid() AS pid")).rows[0].pid)
  } finally {
    client.release()
  }
  expect(pids.size).toBeGreaterThan(1)
  expect(await readPostgresCatalog({ pool, schema }).readServer()).toMatchObject({ isPooled: true })
})

it("is as good for the catalog as no pooler", { timeout: 300_000 }, async (context) => {
  const pool = await startPooled(context)
  const cases = listCases(() => pool)
  expect(cases.size).toBeGreaterThan(200)
  const failed: Array<readonly [string, unknown]> = []
  for (const [title, run] of cases) {
    try {
      await run()
    } catch (cause) {
      failed.push([title, cause])
    }
  }
  expect(failed).toEqual([])
})
