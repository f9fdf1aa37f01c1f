import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it, onTestFinished } from "vitest"
import { encodeToken } from "../../src/protocol.ts"
import { startDouble } from "../ingest/storage/s3/start-double.ts"
import { injectBucketFaults } from "./crash/bucket-faults.ts"
import { checkHeard, isOwed, nameOf } from "./crash/expected-events.ts"
import { bucketMoments, type Moment } from "./crash/moments.ts"
import { startReceivingApp } from "./crash/receiving-app.ts"
import { createTrial } from "./crash/trial.ts"
import { createUploads } from "./crash/uploads.ts"
import { createCounts, isStored, type Upload } from "./crash/world.ts"
import { bundleIngestServer } from "./ingest-process.ts"
import { createRandom } from "./random.ts"

const seed = Number(process.env["CRASH_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const kills = Number(process.env["BUCKET_KILLS"] ?? 30)
/** Uploads under way at once. */
const concurrency = 12
/** Finished files that each client leaves there before it deletes the oldest one: the bucket is in memory. */
const kept = 2

const appId = "app-1"
const apiKey = "sk_test_0123456789abcdef"
const mebibyte = 1024 * 1024

const until = async (condition: () => boolean, patience: number): Promise<boolean> => {
  for (const deadline = Date.now() + patience; !condition(); await sleep(20)) if (Date.now() > deadline) return false
  return true
}

it("loses nothing that is in a bucket, at whatever moment it is killed", { timeout: 900_000 }, async () => {
  const random = createRandom(seed)
  const folder = await mkdtemp(join(tmpdir(), "sluice-bucket-"))
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") console.log(`CRASH_SEED=${seed}: the data is kept in ${folder}.`)
    else await rm(folder, { recursive: true })
  })
  const moments: ReadonlyArray<Moment> = [...bucketMoments, "start", "offset", "body", "last byte", "answer", "any"]
  const trial = createTrial(random, moments, kills)
  const { see, violations, violate, isHopeless, isOver, ingestUrl } = trial

  const double = await startDouble()
  onTestFinished(double.close)
  const faults = injectBucketFaults(double, random, see)

  const publicUrl = "http://ingest.test"
  const deleted = new Set<string>()
  const held = new Set<string>()
  const isDeleted = (key: string) => deleted.has(key)
  const app = await startReceivingApp({ apiKey, random, see, violate, ingestUrl, isDeleted, isHeld: () => false })
  onTestFinished(app.close)
  const startIngest = await bundleIngestServer(folder)
  const data = join(folder, "data")
  const unfinishedTtl = 8000
  const start = () =>
    startIngest({
      folder: data,
      bucket: {
        ...double.settings,
        firstWait: 20,
        // Most parts have no room in memory then.
        ...(random.chance(0.3) && { memory: 2 * mebibyte }),
      },
      token: encodeToken({ apiKey, appId, regions: ["local"] }),
      url: publicUrl,
      logLevel: "Error",
      callbackWait: 1500,
      callbackTimeout: 1000,
      callbackRetries: Array.from({ length: 1000 }, () => 40),
      sweepInterval: 25,
      unfinishedTtl,
    })

  /** In the catalog, one object, one object that may be resumed, and several parts. */
  const pickSize = (): number => {
    const kind = random.below(20)
    if (kind < 3) return random.between(1024, 64 * 1024)
    if (kind < 10) return random.between(64 * 1024 + 1, mebibyte)
    if (kind < 13) return random.between(mebibyte, 8 * mebibyte)
    return kind < 19 ? random.between(8 * mebibyte + 1, 18 * mebibyte) : random.between(18 * mebibyte, 40 * mebibyte)
  }
  let failures = 0
  const counts = createCounts()
  const uploads = createUploads({
    random,
    publicUrl,
    ingestUrl,
    appUrl: app.url,
    appId,
    apiKey,
    see,
    violate,
    isHopeless,
    counts,
    deleted,
    held,
    fates: ["finished", "finished", "finished", "finished", "finished", "finished", "abandoned", "deleted midway"],
    pickSize,
    rivals: 0.25,
    isFailure: ({ status }) => {
      const isFailure = status === 500 || status === 503
      if (isFailure) failures++
      return isFailure
    },
    takeLoss: faults.takeLoss,
  })
  const ended: Array<Upload> = []

  /** A connection that breaks, or a bucket that fails, proves nothing: it is read until it is there, or another. */
  const verify = async (one: Upload): Promise<void> => {
    while (!isHopeless() && (await uploads.verify(one)) === "broken") await sleep(10)
  }
  const remove = async (one: Upload): Promise<void> => {
    deleted.add(one.grant.key)
    await uploads.call("deleteFiles", { fileKeys: [one.grant.key] }, "deletion")
  }
  const stored: Set<Upload> = new Set()
  const upload = async () => {
    const own: Array<Upload> = []
    while (!isOver()) {
      const one = await uploads.run()
      ended.push(one)
      if (!isStored(one)) continue
      await verify(one)
      own.push(one)
      stored.add(one)
      const oldest = own.length > kept ? own.shift() : undefined
      if (oldest === undefined) continue
      await verify(oldest)
      // Its callback is owed until it is deleted.
      await until(() => isHopeless() || isHeard(oldest), 30_000)
      expectHeard(oldest)
      stored.delete(oldest)
      await remove(oldest)
      oldest.content = new Uint8Array()
    }
  }

  const isHeard = (one: Upload): boolean => !isOwed(one) || app.heard.has(nameOf(one))
  const expectHeard = (one: Upload): void => {
    if (isOwed(one) && !isHopeless()) checkHeard(one, app, violate)
  }

  const clients = Array.from({ length: concurrency }, upload)
  const { last, killed, killedIn, errors: earlierErrors } = await trial.run(start, clients)
  faults.stop()

  for (const one of stored) await verify(one)
  const owed = [...stored, ...ended.filter(({ fate }) => fate === "abandoned")]
  await until(() => isHopeless() || owed.every(isHeard), 30_000)
  for (const one of owed) expectHeard(one)

  const read = (file: string, sql: string) => {
    const database = new DatabaseSync(join(data, file))
    try {
      return database.prepare(sql).all()
    } finally {
      database.close()
    }
  }
  const hashes = new Map(
    read("catalog.sqlite", "SELECT key, file_hash FROM files WHERE status = 'Uploaded'").map((row) => [
      String(row["key"]),
      row["file_hash"],
    ]),
  )
  for (const { grant, fileHash } of stored) {
    if (hashes.get(grant.key) !== fileHash) violate(`the catalog has another hash of ${grant.key}`)
  }
  for (const one of stored) await remove(one)
  // What was abandoned expires, and sweeps take its bytes.
  await sleep(unfinishedTtl)
  await until(() => isHopeless() || double.objects.size + double.uploads.size === 0, 20_000)
  expect.soft(last.child.exitCode ?? last.child.signalCode, "it ended by itself").toBeNull()
  await last.stop()
  const errors = earlierErrors + last.errors()

  console.log(
    [
      `CRASH_SEED=${seed}`,
      `kills ${killed} (${[...killedIn].map(([moment, count]) => `${moment} ${count}`).join(", ")})`,
      `faults of ${double.requests.length} requests: ${Object.entries(faults.counts)
        .map(([what, count]) => `${what} ${count}`)
        .join(", ")}`,
      `uploads ${counts.uploads} (${Math.round(counts.bytes / 1e6)} MB), resumes ${counts.resumes}, broken requests ${counts.broken}`,
      `deletions ${deleted.size}, rivals that were answered ${counts.rivals}, failures of the bucket that clients saw ${failures}`,
      `violations ${violations.length}`,
    ].join("\n"),
  )
  expect.soft(violations.slice(0, 20)).toEqual([])
  expect.soft([...double.objects.keys()], "objects that are left").toEqual([])
  expect
    .soft(
      [...double.uploads.values()].map(({ key }) => key),
      "multipart uploads that are left",
    )
    .toEqual([])
  expect.soft(read("journal.sqlite", "SELECT * FROM blobs"), "rows that are left").toEqual([])
  expect.soft(read("journal.sqlite", "SELECT * FROM parts"), "parts that are left").toEqual([])
  expect
    .soft(read("catalog.sqlite", "SELECT key FROM files WHERE status IN ('Uploading', 'Uploaded', 'Deleting')"))
    .toEqual([])
  // That the bucket fails, and of each reason, is logged once in each life; that a part was overwritten by others nobody foresees.
  const unforeseen = errors
    .split(/^(?=\[sluice\])/m)
    .filter(
      (each) =>
        each !== "" && !/code=CALLBACK_|The store (still )?fails|The bucket has other bytes than were sent/.test(each),
    )
  expect.soft(unforeseen).toEqual([])
  expect(killed).toBe(kills)
  expect(Object.values(faults.counts).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(kills)
  expect(counts.uploads).toBeGreaterThan(kills / 3)
  expect(counts.resumes).toBeGreaterThan(kills / 3)
})
