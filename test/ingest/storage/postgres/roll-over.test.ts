import type pg from "pg"
import { afterAll, beforeAll, expect, it } from "vitest"
import { callbackUrl, content, grantOf } from "../../../../src/conformance/catalog/drive-catalog.ts"
import type { Catalog, DueDelivery } from "../../../../src/ingest.ts"
import { createPostgresCatalog } from "../../../../src/postgres.ts"
import { startPostgres, type TestPostgres } from "../../../start-postgres.ts"
import { createFirstPool, makeFirstVersion } from "./first-version.ts"

let postgres: TestPostgres
let pool: pg.Pool

beforeAll(async () => {
  postgres = await startPostgres()
  pool = postgres.createPool({ max: 16 })
})

afterAll(async () => {
  await pool.end()
  await postgres.stop()
})

const origin = "http://ingest.example"
const long = 600_000

const registration = {
  metadata: "{}",
  callbackUrl,
  callbackSlug: "avatar",
  awaitServerData: false,
  isDev: false,
  trace: null,
}

const register = (catalog: Catalog, key: string, id?: string) =>
  catalog.register({
    appId: "app",
    id,
    fileKeys: [key],
    ...registration,
    now: Date.now(),
    createEventId: () => `evt_${key}`,
  })

const begin = (catalog: Catalog, key: string) => catalog.begin({ grant: grantOf(key), origin, now: 1000 })

const notes = (key: string, claims: boolean) => ({
  fileHash: "ab",
  now: Date.now(),
  eventId: `evt_${key}`,
  claimedUntil: claims ? Date.now() + long : null,
})

const end = (catalog: Catalog, { id, attempt }: Pick<DueDelivery, "id" | "attempt">, isDelivered: boolean) =>
  catalog.recordAttempt({
    deliveryId: id,
    attempt,
    startedAt: Date.now(),
    latency: 1,
    status: isDelivered ? 200 : 500,
    error: isDelivered ? null : "no",
    answer: null,
    outcome: isDelivered ? "delivered" : { retryAt: Date.now() },
    ...(isDelivered && { result: { data: "1" } }),
  })

it("goes on in processes of the first version while others of the next one begin, and loses no callback", async () => {
  await makeFirstVersion(pool, "rolled")
  const said = new Map<string, unknown>()
  const older = createPostgresCatalog({ pool: createFirstPool(pool, "rolled", said), schema: "rolled" })
  const newer = createPostgresCatalog({ pool, schema: "rolled" })
  const told = new Map<string, number>()
  const deliver = async (catalog: Catalog, due: DueDelivery): Promise<void> => {
    told.set(due.id, (told.get(due.id) ?? 0) + 1)
    await end(catalog, due, due.attempt > 1 || Math.random() < 0.8)
  }
  const over = new AbortController()
  /** Sends what is due, as a dispatcher does. */
  const dispatch = async (catalog: Catalog): Promise<void> => {
    while (!over.signal.aborted) {
      const now = Date.now()
      const due = await catalog.claimDue({ channel: "callback", now, claimedUntil: now + long, limit: 16 })
      for (const each of due) await deliver(catalog, each)
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
  }
  const commit = async (catalog: Catalog, key: string, epoch: number, claims: boolean): Promise<void> => {
    const committed = await catalog.commit({ key, epoch, blobRef: "1", ...notes(key, claims) })
    if (committed.kind !== "committed") throw new Error(`${key}: ${committed.kind}`)
    if (committed.due !== null) await deliver(catalog, committed.due)
  }
  const keys: Array<string> = []
  let version = 1
  /** Uploads of every kind, one after the other. Where both versions are there, one goes on with what the other one has begun. */
  const upload = async (own: Catalog, name: string, count: () => boolean): Promise<void> => {
    for (let index = 0; count(); index++) {
      const key = `${name}-${index}`
      keys.push(key)
      const other = version === 1 || own === newer ? older : newer
      const isEven = index % 2 === 0
      if (index % 3 === 0) {
        const whole = { grant: grantOf(key), origin, bytes: content, ...notes(key, isEven) }
        const [, stored] = await Promise.all([register(other, key), own.commitWhole(whole)])
        if (stored.kind === "committed" && stored.due !== null) await deliver(own, stored.due)
        continue
      }
      const begun = await begin(own, key)
      if (begun.kind !== "granted") throw new Error(`${key}: ${begun.kind}`)
      if (index % 3 === 1) {
        await Promise.all([register(other, key), commit(own, key, begun.epoch, isEven)])
        continue
      }
      const resumed = await begin(other, key)
      if (resumed.kind !== "granted") throw new Error(`${key}: ${resumed.kind}`)
      await Promise.all([register(own, key), commit(other, key, resumed.epoch, isEven)])
    }
  }

  // Under way before anybody of the next version is there.
  await register(older, "open")
  await begin(older, "open")
  const claimed = { grant: grantOf("claimed"), registration, origin, bytes: content, ...notes("claimed", true) }
  await older.commitWhole(claimed)
  const dispatching = [dispatch(older)]
  let isMigrated = false
  const before = upload(older, "before", () => !isMigrated || keys.length < 60)
  while (keys.length < 20) await new Promise((resolve) => setTimeout(resolve, 5))

  await newer.processes!.look({ lease: long, active: {} })
  version = 2
  isMigrated = true
  dispatching.push(dispatch(newer))
  const beat = setInterval(() => void newer.processes!.look({ lease: long, active: {} }), 50)
  const count = (name: string) => () => keys.filter((key) => key.startsWith(name)).length < 90
  await Promise.all([before, upload(older, "older", count("older")), upload(newer, "newer", count("newer"))])
  await commit(newer, "open", 1, false)

  // A process of the next version ends in the middle of its attempts: those of the first one stay what they are.
  const dying = createPostgresCatalog({ pool, schema: "rolled" })
  await dying.commitWhole({ ...claimed, grant: grantOf("dying"), ...notes("dying", true) })
  await dying.processes!.look({ lease: 1, active: {} })
  await dying.close()
  keys.push("open", "dying")
  const isDelivered = async () =>
    (await newer.getMany(keys)).filter(({ delivery }) => delivery?.status === "delivered").length
  for (let tried = 0; tried < 500 && (await isDelivered()) < keys.length; tried++) {
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  over.abort()
  clearInterval(beat)
  await Promise.all(dispatching)

  const uploads = await newer.getMany(keys)
  expect(uploads.filter(({ delivery }) => delivery?.status !== "delivered")).toEqual([])
  expect(uploads.filter(({ result }) => result === null)).toEqual([])
  expect(keys.filter((key) => !told.has(`evt_${key}`))).toEqual([])
  expect((await newer.get("claimed"))?.delivery).toMatchObject({ status: "pending", attempts: 1, failures: 0 })
  expect(await end(older, { id: "evt_claimed", attempt: 1 }, true)).toBe(true)
  expect(await newer.usage("app")).toMatchObject({
    files: keys.length + 1,
    storedBytes: (keys.length + 1) * content.length,
    announcedBytes: 0,
    expectedFiles: 0,
  })
  // It has called the functions of its version, and they are there still.
  for (const name of ["commit_whole", "commit", "register", "record_attempt"]) {
    const calls = [...said].filter(([text]) => text.includes(`"rolled_1".${name}(`))
    expect([name, ...calls.map(([, ended]) => ended)]).toEqual([name, "done"])
  }
  await Promise.all([older.close(), newer.close()])
})
