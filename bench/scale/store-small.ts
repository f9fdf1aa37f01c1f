import pg from "pg"
import { type Catalog, createSqliteCatalog } from "../../src/ingest.ts"
import { createPostgresCatalog } from "../../src/postgres.ts"

/** One process measures one catalog: `node store-small.ts <URL of a database, or path of a file>`. */
const [, , place = ""] = process.argv

const [lanes, warmUp, span] = [256, 1000, 3000]

const bytes = new Uint8Array(1024).fill(7)

const registration = {
  metadata: '{"userId":7}',
  callbackUrl: "http://app.example/api/upload",
  callbackSlug: "avatar",
  awaitServerData: false,
  isDev: false,
  trace: null,
}

const bounds = { expectedFiles: 1_000_000, expectedBytes: 2 ** 30 }

let count = 0

/** One file, from its registration to its first attempt, which is claimed. */
const store = async (catalog: Catalog, isSealed: boolean): Promise<void> => {
  const [id, now] = [`${process.pid}-${++count}`, Date.now()]
  const [key, registrationId, expires] = [`key-${id}`, `id-${id}`, now + 3_600_000]
  if (!isSealed) {
    const said = { id: registrationId, expires, fileKeys: [key], ...registration, bounds }
    await catalog.register({ appId: "app", ...said, now, createEventId: () => `evt_registered_${id}` })
  }
  const file = { key, appId: "app", name: "a.txt", size: bytes.length, type: "text/plain", slug: "avatar" }
  const committed = await catalog.commitWhole({
    grant: { ...file, expires, registrationId, issuedAt: now },
    registration: isSealed ? registration : undefined,
    origin: "http://ingest.example",
    bytes,
    fileHash: "ab".repeat(32),
    now,
    eventId: `evt_${id}`,
    claimedUntil: now + 60_000,
  })
  if (committed.kind !== "committed" || committed.due === null)
    throw new Error(`${key} was not stored as it should be.`)
}

/** Files a second. */
const measure = async (catalog: Catalog, isSealed: boolean, ms: number): Promise<number> => {
  const started = performance.now()
  let done = 0
  const lane = async (): Promise<void> => {
    while (performance.now() < started + ms) {
      await store(catalog, isSealed)
      done++
    }
  }
  await Promise.all(Array.from({ length: lanes }, lane))
  return (done / (performance.now() - started)) * 1000
}

const pool = place.startsWith("postgres:") ? new pg.Pool({ connectionString: place, max: 8 }) : undefined
const catalog = pool === undefined ? createSqliteCatalog({ file: place }) : createPostgresCatalog({ pool })
await measure(catalog, false, warmUp)
const rate = await measure(catalog, false, span)
const stored = await measure(catalog, true, span)
await catalog.close()
await pool?.end()
console.log(JSON.stringify({ rate, stored }))
