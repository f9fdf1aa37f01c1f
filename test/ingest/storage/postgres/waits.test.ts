import type pg from "pg"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { type Catalog, CatalogError } from "../../../../src/ingest.ts"
import type { UploadGrant } from "../../../../src/protocol.ts"
import { createPostgresCatalog } from "../../../../src/postgres.ts"
import { startPostgres, type TestPostgres } from "../../../start-postgres.ts"

let postgres: TestPostgres
let schemas = 0

beforeAll(async () => {
  postgres = await startPostgres()
})

afterAll(() => postgres.stop())

const grantOf = (key: string): UploadGrant => ({
  key,
  appId: "app",
  expires: 9_000_000_000_000,
  name: "a.bin",
  size: 5,
  type: "application/octet-stream",
})

/** A catalog over few connections, and another process that holds what it is told to, as one that is heard of no more. */
const setUp = async (max: number) => {
  const schema = `waits_${++schemas}`
  const pool: pg.Pool = postgres.createPool({ max })
  const others: pg.Pool = postgres.createPool({ max: 1 })
  const catalog: Catalog = createPostgresCatalog({ pool, schema })
  onTestFinished(async () => {
    await catalog.close()
    await pool.end()
    await others.end()
  })
  const look = () => catalog.processes!.look({ lease: 60_000, active: {} })
  await look()
  const begin = (key: string, quota?: number) =>
    catalog.begin({ grant: grantOf(key), origin: "http://ingest.example", now: 1000, quota })
  return {
    catalog,
    look,
    begin,
    /** Begins a transaction that holds a key and says nothing more. */
    vanishHolding: async (key: string, settings = "") => {
      const client = await others.connect()
      onTestFinished(() => client.release(true))
      client.on("error", () => {})
      await client.query(`BEGIN; ${settings}`)
      await client.query(`SELECT "${schema}_2".hold_keys(ARRAY[$1]::text[])`, [key])
    },
  }
}

describe("what a process that is gone holds in the database", () => {
  it("is waited for, but not for ever: the call may succeed later", async () => {
    const { begin, vanishHolding } = await setUp(4)
    await vanishHolding("gone")
    const begun = begin("gone")
    await expect(begun).rejects.toThrow(CatalogError)
    await expect(begun).rejects.toMatchObject({ reason: "busy" })
  })

  it("keeps no look waiting, however many wait", async () => {
    const { look, begin, vanishHolding } = await setUp(3)
    await vanishHolding("gone")
    const waiting = Array.from({ length: 4 }, () => begin("gone").catch(() => "refused"))
    const first = await Promise.race([Promise.any(waiting).then(() => "begun"), look().then(() => "looked")])
    expect(first).toBe("looked")
    await Promise.all(waiting)
  })

  it("takes one connection of an app that may have only so much, and leaves the others to all", async () => {
    const { begin, vanishHolding } = await setUp(4)
    await vanishHolding("app app")
    const waiting = Array.from({ length: 12 }, (_, n) => begin(`bounded-${n}`, 1000).catch(() => "refused"))
    const first = await Promise.race([Promise.any(waiting).then(() => "bounded"), begin("free").then(() => "free")])
    expect(first).toBe("free")
    await waiting[0]
  })

  it("is given up by the server, where it was one of ours that was in the middle of something", async () => {
    const { catalog } = await setUp(2)
    const { idle, locks } = await new Promise<{ idle: string; locks: string }>((resolve, reject) => {
      const pool = postgres.createPool({ max: 1 })
      const seen = createPostgresCatalog({
        pool: {
          query: (query) => pool.query(query) as never,
          connect: async () => {
            const client = await pool.connect()
            return {
              query: async (query) => {
                const answer = await client.query(query)
                if (query.text.includes("hold_keys")) {
                  const shown = await client.query(
                    "SELECT current_setting('idle_in_transaction_session_timeout') AS idle, current_setting('lock_timeout') AS locks",
                  )
                  resolve(shown.rows[0])
                }
                return answer as never
              },
              release: (isBroken) => client.release(isBroken),
            }
          },
        },
        schema: `waits_${schemas}`,
      })
      seen
        .interrupt("key")
        .catch(reject)
        .finally(async () => {
          await seen.close()
          await pool.end()
        })
    })
    expect([idle, locks]).toEqual(["10s", "5s"])
    expect(await catalog.get("key")).toBeNull()
  })
})
