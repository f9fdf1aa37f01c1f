import pg from "pg"
import { afterAll, beforeAll, describe, expect, it, onTestFinished, test, vi } from "vitest"
import { testCatalog } from "../../../../src/conformance.ts"
import { type Catalog, CatalogError } from "../../../../src/ingest.ts"
import { createPostgresCatalog } from "../../../../src/postgres.ts"
import type { UploadGrant } from "../../../../src/protocol.ts"
import { walkBeside } from "../walk-beside.ts"
import { startPostgres, type TestPostgres } from "../../../start-postgres.ts"
import { setUpSchema } from "./set-up-schema.ts"

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
  await pool.query(`DROP SCHEMA IF EXISTS "${nameSchema()}", "${nameSchema()}_1", "${nameSchema()}_2" CASCADE`)
}

const open = async () => createPostgresCatalog({ pool, schema: nameSchema() })

testCatalog({ describe, test }, "PostgreSQL", {
  ...setUpSchema(() => pool, nameSchema),
  breakDown: dropSchema,
  count: countRows,
})

const grantOf = (key: string): UploadGrant => ({
  key,
  appId: "app",
  expires: 10_000,
  name: "a.txt",
  size: 1,
  type: "text/plain",
  slug: "avatar",
})

const registration = {
  metadata: "{}",
  callbackUrl: "http://app.example/",
  callbackSlug: "avatar",
  awaitServerData: false,
  isDev: false,
  trace: null,
}

/** Registers and stores small files, all at once. */
const store = (catalog: Catalog, keys: ReadonlyArray<string>) =>
  Promise.all(
    keys.map(async (key) => {
      await catalog.register({
        appId: "app",
        fileKeys: [key],
        ...registration,
        now: 1,
        createEventId: () => `no ${key}`,
      })
      return catalog.commitWhole({
        grant: grantOf(key),
        origin: "http://ingest.example",
        bytes: Uint8Array.of(1),
        fileHash: "ab",
        now: 2,
        eventId: `evt_${key}`,
        claimedUntil: 9,
      })
    }),
  )

const withSchema = async (run: () => Promise<void>): Promise<void> => {
  schemas++
  try {
    await run()
  } finally {
    await dropSchema()
  }
}

it.each(Array.from({ length: 12 }, (_, index) => index + 1))(
  "does as a catalog in memory does, whatever happens to them: %i",
  (seed) => withSchema(async () => walkBeside(await open(), seed)),
)

it("stores many small files in a few statements, and none in a transaction of its own", () =>
  withSchema(async () => {
    const catalog = await open()
    await catalog.probe()
    const [query, connect] = [vi.spyOn(pool, "query"), vi.spyOn(pool, "connect")]
    onTestFinished(() => void vi.restoreAllMocks())
    const stored = await store(
      catalog,
      Array.from({ length: 128 }, (_, i) => `key-${i}`),
    )
    expect(stored.map((each) => each.kind === "committed" && each.due?.id)).toEqual(
      stored.map((_, i) => `evt_key-${i}`),
    )
    // `pool.query` of pg takes a connection itself, with a callback.
    expect(connect.mock.calls.filter(([callback]) => callback === undefined)).toEqual([])
    expect(query.mock.calls.length).toBeLessThanOrEqual(16)
    expect(await catalog.usage("app")).toMatchObject({ files: 128, storedBytes: 128, expectedFiles: 0 })
    await catalog.close()
  }))

it("commits many files, and records their attempts, in a few statements", () =>
  withSchema(async () => {
    const catalog = await open()
    const keys = Array.from({ length: 64 }, (_, i) => `key-${i}`)
    for (const key of keys) {
      await catalog.begin({ grant: grantOf(key), registration, origin: "http://ingest.example", now: 1 })
    }
    const connect = vi.spyOn(pool, "connect")
    onTestFinished(() => void vi.restoreAllMocks())
    const committed = await Promise.all(
      keys.map((key) =>
        catalog.commit({ key, epoch: 1, fileHash: "ab", blobRef: key, now: 2, eventId: `evt_${key}`, claimedUntil: 9 }),
      ),
    )
    expect(committed.map((each) => each.kind === "committed" && each.due?.file.blobRef)).toEqual(keys)
    const kept = await Promise.all(
      keys.map((key, i) =>
        catalog.recordAttempt({
          deliveryId: `evt_${key}`,
          // The last one is not the newest attempt.
          attempt: i === 63 ? 2 : 1,
          startedAt: 3,
          latency: 1,
          status: 200,
          error: null,
          answer: null,
          outcome: "delivered",
          result: { data: `"${key}"` },
        }),
      ),
    )
    expect(kept).toEqual(keys.map(() => true))
    const ends = await catalog.getMany(keys)
    expect(ends.filter(({ delivery }) => delivery?.status === "delivered")).toHaveLength(63)
    expect(
      ends.every(({ file, result }) => result !== null && "data" in result && result.data === `"${file.key}"`),
    ).toBe(true)
    expect(connect.mock.calls.filter(([callback]) => callback === undefined)).toEqual([])
    await catalog.close()
  }))

it("stores what it can of many small files, and lets the others fail alone", () =>
  withSchema(async () => {
    const catalog = await open()
    await store(catalog, ["taken"])
    const [fresh, taken, same] = await Promise.allSettled([
      store(catalog, ["fresh"]),
      store(catalog, ["taken"]),
      // Its event has the id of another one.
      catalog.commitWhole({
        grant: grantOf("same-event"),
        registration,
        origin: "http://ingest.example",
        bytes: Uint8Array.of(1),
        fileHash: "ab",
        now: 2,
        eventId: "evt_taken",
        claimedUntil: null,
      }),
    ])
    expect(fresh).toMatchObject({ status: "fulfilled", value: [{ kind: "committed" }] })
    expect(taken).toMatchObject({ status: "fulfilled", value: [{ kind: "refused" }] })
    expect(same).toMatchObject({ status: "rejected" })
    expect(await catalog.get("same-event")).toBeNull()
    await catalog.close()
  }))

it("keeps what no text of PostgreSQL can hold", () =>
  withSchema(async () => {
    const catalog = await open()
    const strange = "a\u0000b\u0001c\u00010"
    const grant = { ...grantOf("key"), customId: strange }
    await catalog.begin({ grant, origin: "http://ingest.example", now: 1 })
    await catalog.commit({
      key: "key",
      epoch: 1,
      fileHash: "ab",
      blobRef: null,
      now: 2,
      eventId: "evt_1",
      claimedUntil: null,
    })
    await catalog.recordResult({ appId: "app", key: "key", result: { data: strange }, now: 3 })
    expect(await catalog.findByCustomId("app", strange, "all")).toMatchObject({ key: "key", customId: strange })
    expect((await catalog.get("key"))?.result).toEqual({ data: strange })
    const whole = { ...grant, key: "whole", name: strange }
    const notes = { fileHash: "ab", now: 2, eventId: "evt_2", claimedUntil: null, bytes: Uint8Array.of(0, 1, 255) }
    await catalog.commitWhole({ grant: whole, origin: "http://ingest.example", ...notes })
    const stored = await catalog.get("whole")
    expect(stored?.file.name).toBe(strange)
    expect(await catalog.readContent(stored!.file.id)).toEqual(Uint8Array.of(0, 1, 255))
    await catalog.close()
  }))

it("states the isolation that it needs, whatever the database's default is", () =>
  withSchema(async () => {
    const strict = postgres.createPool({ max: 4, options: "-c default_transaction_isolation=serializable" })
    const catalog = createPostgresCatalog({ pool: strict, schema: nameSchema() })
    await store(catalog, ["a", "b", "c"])
    expect((await catalog.getMany(["a", "b", "c"])).map(({ delivery }) => delivery?.status)).toEqual(
      Array.from({ length: 3 }, () => "pending"),
    )
    await catalog.close()
    await strict.end()
  }))

it("says nothing of the database's password where it cannot be reached", async () => {
  const nowhere = new pg.Pool({ connectionString: "postgres://user:secretword@127.0.0.1:1/db" })
  const catalog = createPostgresCatalog({ pool: nowhere })
  const cause: unknown = await catalog.usage("app").catch((failure: unknown) => failure)
  expect(CatalogError.is(cause)).toBe(true)
  expect(`${(cause as Error).message} ${String((cause as Error).cause)}`).not.toContain("secretword")
  await catalog.close()
  await nowhere.end()
})

it("refuses a catalog that a newer version has made unusable for it", () =>
  withSchema(async () => {
    const catalog = await open()
    await catalog.probe()
    await pool.query(`UPDATE "${nameSchema()}".schema_version SET version = 1000, oldest = 1000`)
    await expect((await open()).usage("app")).rejects.toThrow(/newer than this package/)
    // Newer alone does no harm.
    await pool.query(`UPDATE "${nameSchema()}".schema_version SET oldest = 1`)
    expect(await (await open()).usage("app")).toMatchObject({ files: 0 })
    await catalog.close()
  }))

it("lets every session be another one: no statement is prepared under a name, nothing is set in a session", () =>
  withSchema(async () => {
    const single = postgres.createPool({ max: 1 })
    const catalog = createPostgresCatalog({ pool: single, schema: nameSchema() })
    await store(catalog, ["a", "b"])
    await catalog.deleteFiles({ appId: "app", files: [{ fileKey: "a" }], now: 3 })
    const left = await single.query(`
      SELECT (SELECT count(*)::int FROM pg_prepared_statements) AS statements,
        (SELECT count(*)::int FROM pg_locks WHERE locktype = 'advisory') AS locks,
        (SELECT count(*)::int FROM pg_settings WHERE source = 'session' AND name <> 'application_name') AS settings`)
    expect(left.rows[0]).toEqual({ statements: 0, locks: 0, settings: 0 })
    await catalog.close()
    await single.end()
  }))
