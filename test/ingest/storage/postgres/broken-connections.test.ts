import pg from "pg"
import { afterAll, beforeAll, expect, it, onTestFinished } from "vitest"
import { CatalogError } from "../../../../src/ingest.ts"
import { createPostgresBlobJournal, createPostgresCatalog } from "../../../../src/postgres.ts"
import { startWire } from "../../../scale/start-wire.ts"
import { startPostgres, type TestPostgres } from "../../../start-postgres.ts"

let postgres: TestPostgres

beforeAll(async () => {
  postgres = await startPostgres()
})

afterAll(() => postgres.stop())

it("a connection whose end comes with the answer before it is lent ends nothing else", async () => {
  const url = new URL(postgres.url)
  const wire = await startWire(Number(url.port))
  onTestFinished(wire.close)
  url.port = String(wire.port)
  // As an application makes it: nobody listens to its connections.
  const pool = new pg.Pool({ connectionString: url.href, max: 1, application_name: "broken" })
  const catalog = createPostgresCatalog({ pool })
  onTestFinished(async () => {
    await catalog.close()
    await pool.end()
  })
  await catalog.probe()
  const uncaught: Array<unknown> = []
  const listeners = process.listeners("uncaughtException")
  process.removeAllListeners("uncaughtException")
  process.on("uncaughtException", (cause) => uncaught.push(cause))
  onTestFinished(() => {
    process.removeAllListeners("uncaughtException")
    for (const listener of listeners) process.on("uncaughtException", listener)
  })
  // The first one has the only connection, the second one waits for it.
  const reading = catalog.appsRevision().catch(() => {})
  const writing = catalog.probe().catch(() => {})
  wire.stall("answers")
  const backends = "FROM pg_stat_activity WHERE application_name = 'broken'"
  for (let isAnswered = false; !isAnswered;) {
    const [row] = await postgres.run(`SELECT state = 'idle' AND query LIKE '%revision%' AS answered ${backends}`)
    isAnswered = row?.["answered"] === true
  }
  await postgres.run(`SELECT pg_terminate_backend(pid) ${backends}`)
  await new Promise((resolve) => setTimeout(resolve, 200))
  wire.goOn()
  await Promise.all([reading, writing])
  expect(uncaught).toEqual([])
  expect(await catalog.appsRevision()).toBe(0)
})

it("a transaction that the server ended because its process stood still is a failure of the catalog", async () => {
  const pool = postgres.createPool({ max: 2 })
  const failing = {
    query: pool.query.bind(pool),
    connect: async () => {
      const client = await pool.connect()
      const query = client.query.bind(client)
      // The process stands still before the second statement of its transaction.
      let asked = 0
      client.query = (async (statement: Parameters<typeof query>[0]) => {
        if (++asked === 2) {
          await query("SET LOCAL idle_in_transaction_session_timeout = '20ms'")
          Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
        }
        return query(statement)
      }) as typeof client.query
      return client
    },
  }
  const catalog = createPostgresCatalog({ pool: failing, schema: "still" })
  onTestFinished(async () => {
    await catalog.close()
    await pool.end()
  })
  const cause = await catalog.probe().catch((failure: unknown) => failure)
  expect(CatalogError.is(cause)).toBe(true)
  expect(cause).toMatchObject({ reason: "io" })
})

it("a pool is listened to once, however many catalogs and journals are made over it, until the last one is closed", async () => {
  const pool = new pg.Pool({ connectionString: postgres.url, max: 1 })
  onTestFinished(() => pool.end())
  const count = () => pool.listenerCount("error") + pool.listenerCount("acquire")
  const open = Array.from({ length: 20 }, () => [
    createPostgresCatalog({ pool }),
    createPostgresBlobJournal({ pool }),
  ]).flat()
  expect(count()).toBe(2)
  for (const each of open.slice(1)) await each.close()
  // Closing twice undoes nothing of others.
  await open[1]!.close()
  expect(count()).toBe(2)
  await open[0]!.close()
  expect(count()).toBe(0)
})
