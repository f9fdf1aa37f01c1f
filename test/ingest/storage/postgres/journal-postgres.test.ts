import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type pg from "pg"
import { afterAll, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import { type BlobJournal, createMemoryBlobJournal } from "../../../../src/s3.ts"
import { createPostgresBlobJournal, createPostgresCatalog } from "../../../../src/postgres.ts"
import { createS3BlobStore } from "../../../../src/ingest/storage/s3/blob-s3.ts"
import { startPostgres, type TestPostgres } from "../../../start-postgres.ts"
import { createRandom } from "../random.ts"
import { createSteps, readAll } from "../s3/journal-steps.ts"
import { startDouble } from "../s3/start-double.ts"

let postgres: TestPostgres
let pool: pg.Pool
let journals: readonly [BlobJournal, BlobJournal]

beforeAll(async () => {
  postgres = await startPostgres()
  pool = postgres.createPool({ max: 8 })
  // Two processes.
  journals = [createPostgresBlobJournal({ pool }), createPostgresBlobJournal({ pool })]
  await Promise.all(journals.map((journal) => journal.listRemovals(0, 1)))
})

beforeEach(() => pool.query("TRUNCATE sluice.blobs, sluice.blob_parts, sluice.late_removals"))

afterAll(async () => {
  await Promise.all(journals.map((journal) => journal.close()))
  await pool.end()
  await postgres.stop()
})

describe("a journal in PostgreSQL", () => {
  it.each(Array.from({ length: 20 }, (_, index) => index + 1))(
    "does as one in memory does, whichever of two processes is asked: %i",
    async (seed) => {
      const random = createRandom(seed)
      const nextStep = createSteps(random)
      const memory = createMemoryBlobJournal()
      const taken: Array<string> = []
      for (let index = 0; index < 60; index++) {
        const { says, run } = nextStep()
        taken.push(says)
        const asked = journals[random() < 0.5 ? 0 : 1]
        const answers = { answer: await run(asked), all: await readAll(asked) }
        const expected = { answer: await run(memory), all: await readAll(memory) }
        expect(answers, `seed ${seed}: ${taken.slice(-12).join(", ")}`).toEqual(expected)
      }
    },
  )

  it("is durable, and has a catalog in the same schema beside it", async () => {
    expect(journals[0].isDurable).toBe(true)
    const catalog = createPostgresCatalog({ pool })
    expect(await catalog.usage("app")).toMatchObject({ files: 0 })
    await catalog.close()
  })

  it("lets the newest of many writers at once go on, and no other", async () => {
    const epochs = Array.from({ length: 24 }, (_, index) => index + 1)
    await Promise.all(
      epochs.map(async (epoch) => {
        const journal = journals[epoch % 2]!
        if ((await journal.claim("key", epoch)) === undefined) return
        await journal.write("key", epoch, { add: [`"${epoch}"`], offset: epoch })
      }),
    )
    const blob = await journals[0].read("key")
    expect(blob?.epoch).toBe(24)
    expect(await journals[1].write("key", 23, { offset: 99 })).toBe(false)
    expect(blob?.offset).toBe(24)
  })

  it("adds parts that were not waited for, none over another", async () => {
    await journals[0].claim("key", 1)
    const names = Array.from({ length: 40 }, (_, index) => `"${index}"`)
    await Promise.all(names.map((etag, index) => journals[index % 2]!.write("key", 1, { add: [etag] })))
    expect((await journals[0].read("key"))?.etags.toSorted()).toEqual(names.toSorted())
  })

  it("asks with one statement, and writes no more for the ten-thousandth part than for the first", async () => {
    await journals[0].claim("key", 1)
    const etags = Array.from({ length: 9998 }, (_, index) => `"${String(index).padStart(32, "0")}"`)
    const written = async (work: () => Promise<unknown>): Promise<number> => {
      const [before] = await postgres.run("SELECT pg_current_wal_insert_lsn() AS at")
      await work()
      const [row] = await postgres.run(
        `SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '${String(before!["at"])}')::int AS bytes`,
      )
      return row!["bytes"] as number
    }
    const add = (count: number) => journals[0].write("key", 1, { add: [`"${count}"`], offset: count })
    await add(1)
    await journals[0].write("key", 1, { add: etags, offset: 9999 })
    await add(10_000)
    const query = vi.spyOn(pool, "query")
    onTestFinished(() => void vi.restoreAllMocks())
    // The server writes on its own account as well, and a page whole that is changed for the first time after a checkpoint.
    const sizes: Array<number> = []
    for (let count = 10_001; count <= 10_005; count++) sizes.push(await written(() => add(count)))
    expect(Math.min(...sizes)).toBeLessThan(5000)
    expect(query).toHaveBeenCalledTimes(5)
    expect((await journals[1].claim("key", 2))?.etags).toHaveLength(10_005)
  })

  it("does the same whatever isolation the database has by default", async () => {
    const strict = postgres.createPool({ max: 4, options: "-c default_transaction_isolation=serializable" })
    const journal = createPostgresBlobJournal({ pool: strict })
    await journal.claim("key", 1)
    await Promise.all(Array.from({ length: 8 }, (_, index) => journal.write("key", 1, { add: [String(index)] })))
    expect((await journal.read("key"))?.etags).toHaveLength(8)
    expect(await journal.forget("key", 0)).toBe(false)
    expect(await journal.forget("key", 1)).toBe(true)
    await journal.close()
    await strict.end()
  })

  it("names late removals to every process, and does not mind that two of them end one", async () => {
    await journals[0].noteRemoval({ key: "a", at: 5 })
    await journals[1].noteRemoval({ key: "b", at: 4 })
    const listed = await Promise.all(journals.map((journal) => journal.listRemovals(5, 9)))
    expect(listed).toEqual([listed[0], listed[0]])
    await Promise.all(journals.map((journal) => journal.forgetRemoval("a")))
    expect(await journals[0].listRemovals(5, 9)).toEqual([{ key: "b", at: 4 }])
  })

  it("says when a late removal is due by the database's clock, whatever that of a process says", async () => {
    const double = await startDouble()
    onTestFinished(double.close)
    const spill = await mkdtemp(join(tmpdir(), "sluice-journal-"))
    onTestFinished(() => rm(spill, { recursive: true }))
    const before = Date.now()
    vi.spyOn(Date, "now").mockReturnValue(before - 600_000)
    onTestFinished(() => void vi.restoreAllMocks())
    const store = createS3BlobStore(
      { ...double.settings, journal: createPostgresBlobJournal({ pool }), spill },
      { removeAgainAfter: 300_000 },
    )
    onTestFinished(() => store.close())
    // Nothing is known of its writers.
    await store.remove("key")
    const [noted, ...more] = await journals[1].listRemovals(Number.MAX_SAFE_INTEGER, 9)
    expect([noted!.key, more]).toEqual(["key", []])
    expect(noted!.at).toBeGreaterThanOrEqual(before + 300_000)
    expect(noted!.at).toBeLessThan(before + 400_000)
  })
})
