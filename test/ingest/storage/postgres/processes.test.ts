import type pg from "pg"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { content, grantOf } from "../../../../src/conformance/catalog/drive-catalog.ts"
import type { Catalog } from "../../../../src/ingest.ts"
import { createPostgresCatalog } from "../../../../src/postgres.ts"
import { startPostgres, type TestPostgres } from "../../../start-postgres.ts"

let postgres: TestPostgres
let pool: pg.Pool
let schema: string
let schemas = 0

beforeAll(async () => {
  postgres = await startPostgres()
  pool = postgres.createPool({ max: 8 })
})

beforeEach(() => {
  schema = `processes_${++schemas}`
})

afterAll(async () => {
  await pool.end()
  await postgres.stop()
})

const long = 600_000
const origin = "http://ingest.example"

const open = (connections = pool): Catalog => {
  const catalog = createPostgresCatalog({ pool: connections, schema })
  onTestFinished(() => catalog.close())
  return catalog
}

const look = (catalog: Catalog, lease = long) => catalog.processes!.look({ lease, active: {} })

/** Stores a small file whose event its process claims. */
const store = (catalog: Catalog, key: string) =>
  catalog.commitWhole({
    grant: grantOf(key),
    registration: {
      metadata: "{}",
      callbackUrl: "http://app.example/",
      callbackSlug: "avatar",
      awaitServerData: false,
      isDev: false,
      trace: null,
    },
    origin,
    bytes: content,
    fileHash: "ab",
    now: 2000,
    eventId: `evt_${key}`,
    claimedUntil: 1e15,
  })

/** A process that is heard of no more, which has claimed the event of a key and writes another one. */
const die = async (key: string): Promise<void> => {
  const dead = open()
  await look(dead)
  await store(dead, key)
  await dead.begin({ grant: grantOf(`${key} begun`), origin, now: 1000 })
  await look(dead, 1)
  await new Promise((resolve) => setTimeout(resolve, 20))
}

describe("processes over PostgreSQL", () => {
  it("look, let go, lead and leave by one statement each", async () => {
    const catalog = open()
    await catalog.probe()
    const [query, connect] = [vi.spyOn(pool, "query"), vi.spyOn(pool, "connect")]
    onTestFinished(() => void vi.restoreAllMocks())
    await look(catalog)
    await catalog.processes!.letGo("key", 1)
    await catalog.processes!.moveClaims({ events: ["evt_1"], until: 1 })
    await catalog.processes!.lead("sweeps", 1)
    expect(query).toHaveBeenCalledTimes(4)
    // `pool.query` of pg takes a connection itself, with a callback.
    expect(connect.mock.calls.filter(([callback]) => callback === undefined)).toEqual([])
  })

  it("cost a small file no statement", async () => {
    const catalog = open()
    await look(catalog)
    const query = vi.spyOn(pool, "query")
    onTestFinished(() => void vi.restoreAllMocks())
    await store(catalog, "key")
    expect(query).toHaveBeenCalledTimes(1)
    expect(JSON.stringify(query.mock.calls)).not.toContain("writers")
    const { rows } = await pool.query(`SELECT * FROM "${schema}".writers`)
    expect(rows).toEqual([])
  })

  it("wait for nobody who changes what a dead one has, and end it with the next look", async () => {
    const catalog = open()
    await look(catalog)
    await die("key")
    const other = await pool.connect()
    await other.query(`BEGIN; SELECT 1 FROM "${schema}".deliveries WHERE id = 'evt_key' FOR UPDATE`)
    expect((await look(catalog)).hasReleased).toBe(false)
    expect((await catalog.get("key"))?.delivery).toMatchObject({ attempts: 1, failures: 0 })
    await other.query("ROLLBACK")
    other.release()
    expect((await look(catalog)).hasReleased).toBe(true)
    expect((await catalog.get("key"))?.delivery).toMatchObject({ attempts: 1, failures: 1 })
    expect((await pool.query(`SELECT * FROM "${schema}".writers`)).rows).toEqual([])
    expect((await pool.query(`SELECT * FROM "${schema}".processes`)).rows).toHaveLength(1)
  })

  it("take nobody for dead after a crash of the server, which forgets who lives", async () => {
    const [catalog, other] = [open(), open()]
    await look(catalog)
    await store(catalog, "key")
    await catalog.begin({ grant: grantOf("begun"), origin, now: 1000 })
    await look(catalog, 1)
    const { rows } = await pool.query(
      `SELECT string_agg(relname, ' ' ORDER BY relname) AS names FROM pg_class
      WHERE relpersistence = 'u' AND relkind = 'r' AND relnamespace = $1::regnamespace`,
      [schema],
    )
    expect(rows[0].names).toBe("held_keys processes writers")
    await pool.query(`TRUNCATE "${schema}".processes, "${schema}".writers`)
    expect(await look(other)).toMatchObject({ stops: [], hasReleased: false })
    expect((await catalog.get("key"))?.delivery).toMatchObject({ attempts: 1, failures: 0, nextAt: 1e15 })
    const begun = await other.begin({ grant: grantOf("begun"), origin, now: 1000, unlessHeld: true })
    expect(begun).toMatchObject({ kind: "granted", epoch: 2 })
    // The first one comes back, and is asked from then on.
    await look(catalog)
    await catalog.begin({ grant: grantOf("again"), origin, now: 1000 })
    expect(await other.begin({ grant: grantOf("again"), origin, now: 1000, unlessHeld: true })).toEqual({
      kind: "held",
    })
  })

  it("leave nothing behind that one noted after it was found dead", async () => {
    const catalog = open()
    const late = open()
    await look(late, 1)
    await new Promise((resolve) => setTimeout(resolve, 20))
    await look(catalog)
    await late.begin({ grant: grantOf("late"), origin, now: 1000 })
    await catalog.deleteFiles({ appId: "app", files: [{ fileKey: "late" }], now: 3000 })
    await die("key")
    await look(catalog)
    expect((await pool.query(`SELECT * FROM "${schema}".writers`)).rows).toEqual([])
  })

  it("read an index to find what a dead one has claimed, however many events there have been", async () => {
    const single = postgres.createPool({ max: 1 })
    onTestFinished(() => single.end())
    const catalog = open(single)
    await look(catalog)
    await pool.query(`
      INSERT INTO "${schema}".deliveries (file_id, id, registration_id, app_id, is_dev, hook, status, attempts, next_at)
      SELECT 1000000 + n, 'old ' || n, 1, 'app', 0, 'callback', 'delivered', 1, 1 FROM generate_series(1, 500) AS n`)
    await die("key")
    const scans = async (): Promise<unknown> => {
      // PostgreSQL 14 has no such function, and counts once a second.
      await single.query("SELECT pg_stat_force_next_flush()").catch(() => sleep(1500))
      const { rows } = await single.query(
        "SELECT seq_scan AS scans FROM pg_stat_user_tables WHERE schemaname = $1 AND relname = 'deliveries'",
        [schema],
      )
      return rows[0].scans
    }
    const before = await scans()
    expect((await look(catalog)).hasReleased).toBe(true)
    expect(await scans()).toBe(before)
  })

  it("do the same whatever isolation the database has by default", async () => {
    const strict = postgres.createPool({ max: 4, options: "-c default_transaction_isolation=serializable" })
    onTestFinished(() => strict.end())
    const [catalog, other] = [open(strict), open(strict)]
    await die("key")
    await Promise.all([look(catalog), look(other)])
    expect((await catalog.get("key"))?.delivery).toMatchObject({ attempts: 1, failures: 1 })
    await catalog.begin({ grant: grantOf("mine"), origin, now: 1000 })
    expect(await other.interrupt("mine", true)).toBe("held")
    expect((await look(catalog)).stops).toEqual(["mine"])
    await Promise.all([catalog.processes!.letGo("mine", 1), other.processes!.lead("sweeps", long)])
    expect(await catalog.processes!.lead("sweeps", long)).toBe(false)
    await other.processes!.leave()
    expect(await catalog.processes!.lead("sweeps", long)).toBe(true)
  })
})
