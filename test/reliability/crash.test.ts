import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { DatabaseSync } from "node:sqlite"
import { setTimeout as sleep } from "node:timers/promises"
import { expect, it, onTestFinished } from "vitest"
import { encodeToken } from "../../src/protocol.ts"
import { createSqliteCatalog, fileEventTypes } from "../../src/ingest.ts"
import { createWebhookSecret } from "../../src/protocol/signing/webhook-secret.ts"
import { checkHeard, isBegun, isOwed, nameOf } from "./crash/expected-events.ts"
import { startHearingEndpoint, startSilentEndpoint, toBeHeard } from "./crash/hearing-endpoint.ts"
import { moments } from "./crash/moments.ts"
import { resultOf, startReceivingApp } from "./crash/receiving-app.ts"
import { createTrial } from "./crash/trial.ts"
import { createUploads } from "./crash/uploads.ts"
import { createCounts, isDeletion, isStored, type Upload } from "./crash/world.ts"
import { bundleIngestServer } from "./ingest-process.ts"
import { createRandom } from "./random.ts"

const seed = Number(process.env["CRASH_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const kills = Number(process.env["CRASH_KILLS"] ?? 300)
/** Uploads under way at once. */
const concurrency = 16

const appId = "app-1"
const apiKey = "sk_test_0123456789abcdef"

const until = async (condition: () => boolean): Promise<boolean> => {
  for (const deadline = Date.now() + 60_000; !condition(); await sleep(20)) if (Date.now() > deadline) return false
  return true
}

it("loses nothing, at whatever moment it is killed", { timeout: 900_000 }, async () => {
  const random = createRandom(seed)
  const folder = await mkdtemp(join(tmpdir(), "sluice-crash-"))
  onTestFinished(async ({ task }) => {
    if (task.result?.state === "fail") console.log(`The data is kept in ${folder}.`)
    else await rm(folder, { recursive: true })
  })
  const trial = createTrial(random, moments, kills)
  const { see, violations, violate, isHopeless, isOver, ingestUrl } = trial

  const publicUrl = "http://ingest.test"
  const deleted = new Set<string>()
  const held = new Set<string>()
  const isDeleted = (key: string) => deleted.has(key)
  const app = await startReceivingApp({
    apiKey,
    random,
    see,
    violate,
    ingestUrl,
    isDeleted,
    isHeld: (key) => held.has(key),
  })
  onTestFinished(app.close)
  const startIngest = await bundleIngestServer(folder)
  const data = join(folder, "data")
  const secret = createWebhookSecret()
  const endpoint = await startHearingEndpoint({ secret, random, violate, isHeld: (key) => held.has(key) })
  onTestFinished(endpoint.close)
  const silent = await startSilentEndpoint()
  onTestFinished(silent.close)
  const opened = createSqliteCatalog({ file: join(data, "catalog.sqlite") })
  for (const [id, { url }] of [["ep_silent", silent] as const, ["ep_1", endpoint] as const]) {
    await opened.createEndpoint({ id, appId, url, events: fileEventTypes, createdAt: Date.now(), secret })
  }
  await opened.close()
  const unfinishedTtl = 10_000
  const start = () =>
    startIngest({
      folder: data,
      token: encodeToken({ apiKey, appId, regions: ["local"] }),
      url: publicUrl,
      logLevel: "Error",
      callbackWait: 1500,
      callbackTimeout: 1000,
      callbackRetries: Array.from({ length: 1000 }, () => 40),
      sweepInterval: 25,
      // A client has to get to renew its URL meanwhile, on a slow machine whose ingest is killed again and again.
      unfinishedTtl,
    })

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
  })
  const ended: Array<Upload> = []
  const upload = async () => {
    while (!isOver()) {
      ended.push(await uploads.run())
    }
  }
  /** Between uploads: is what was answered before still there? */
  const audit = async () => {
    while (!isOver()) {
      const certain = ended.filter((one) => isStored(one) || isDeletion(one) || one.fate === "rejected")
      if (certain.length > 0) await uploads.verify(random.pick(certain))
      await sleep(5)
    }
  }
  const crashApp = async () => {
    while (!isOver()) {
      await sleep(random.between(500, 2000))
      await app.crash(random.between(5, 60))
    }
  }
  const clients = [...Array.from({ length: concurrency }, upload), audit(), audit(), crashApp()]

  const { last, killed, killedIn, errors } = await trial.run(start, clients)

  const stored = ended.filter(isStored)
  const owed = ended.filter(isOwed)
  await until(() => isHopeless() || owed.every((one) => app.heard.has(nameOf(one))))
  for (const one of owed) checkHeard(one, app, violate)
  const heardOf = (key: string) => fileEventTypes.filter((type) => endpoint.heard.has(`${key} ${type}`)).toSorted()
  const mustHear = ended.flatMap((one) => {
    const types = toBeHeard(one, isBegun(one))
    return types === undefined ? [] : [{ one, types: types.join(", ") }]
  })
  await until(() => isHopeless() || mustHear.every(({ one, types }) => heardOf(one.grant.key).join(", ") === types))
  for (const { one, types } of mustHear) {
    const heard = heardOf(one.grant.key).join(", ")
    if (heard !== types) violate(`the endpoint heard of ${one.grant.key} (${one.fate}): ${heard}; not: ${types}`)
  }
  for (const one of ended) {
    for (const type of fileEventTypes) {
      // Under its key are two files.
      const ids = one.fate === "replaced" ? 1 : (endpoint.heard.get(`${one.grant.key} ${type}`)?.size ?? 1)
      if (ids !== 1) violate(`${ids} ids for what the endpoint heard of ${one.grant.key}: ${type}`)
    }
  }
  const names = new Set(ended.map(nameOf))
  // What became of a file may have been told before it was deleted.
  for (const one of ended.filter(isDeletion)) names.add(`${one.grant.key} uploaded`)
  for (const name of app.heard.keys()) if (!names.has(name)) violate(`an event nobody is owed: ${name}`)
  for (const one of ended) if (isDeletion(one) || one.fate === "rejected") await uploads.verify(one)
  for (const one of stored) {
    await uploads.verify(one)
    const isAwaited = one.registers !== "never" && one.awaitServerData
    const expected = isAwaited ? resultOf([...(app.heard.get(nameOf(one))?.ids ?? [])].join()) : null
    for (const serverData of [one.serverData, await uploads.repeat(one)]) {
      if (JSON.stringify(serverData) !== JSON.stringify(expected)) {
        violate(`the result of ${nameOf(one)} is ${JSON.stringify(serverData)}`)
      }
    }
  }
  // The last sweeps: everything abandoned has expired by then.
  await sleep(unfinishedTtl + 200)
  expect.soft(last.child.exitCode ?? last.child.signalCode, "it ended by itself").toBeNull()
  await last.stop()

  const files = (await readdir(join(data, "files"), { recursive: true, withFileTypes: true })).filter((entry) =>
    entry.isFile(),
  )
  const catalog = new DatabaseSync(join(data, "catalog.sqlite"))
  onTestFinished(() => catalog.close())
  const read = (sql: string) => Object.values(catalog.prepare(sql).get()!)[0]
  expect.soft(violations.slice(0, 20)).toEqual([])
  const unforeseen = (errors + last.errors()).split("\n").filter((line) => line !== "" && !/code=CALLBACK_/.test(line))
  expect.soft(unforeseen).toEqual([])
  expect.soft(read("PRAGMA integrity_check")).toBe("ok")
  expect.soft(read("SELECT count(*) FROM files WHERE status = 'Uploaded'")).toBe(stored.length)
  expect.soft(read("SELECT count(*) FROM files WHERE status IN ('Uploading', 'Deleting')")).toBe(0)
  expect.soft(read("SELECT count(*) FROM deliveries WHERE status <> 'delivered'")).toBe(0)
  expect.soft(read("SELECT count(*) FROM endpoint_events WHERE endpoint_id = 'ep_1' AND status <> 'delivered'")).toBe(0)
  expect.soft(read("SELECT count(*) FROM endpoint_events WHERE endpoint_id = 'ep_silent'")).toBeGreaterThan(kills)
  // Nothing waits for what has ended. Uploads nobody began before their URL expired may still be renewed: those are expected.
  const unbegun = new Set(ended.filter((one) => !isBegun(one)).map(({ grant }) => grant.key))
  const listKeys = (sql: string) =>
    catalog
      .prepare(sql)
      .all()
      .map((row) => String(row["key"]))
  const expectedKeys = listKeys("SELECT key FROM expected_files")
  const failedKeys = new Set(listKeys("SELECT key FROM files WHERE status = 'Failed'"))
  expect.soft(expectedKeys.filter((key) => !unbegun.has(key) || failedKeys.has(key))).toEqual([])
  const lost = [...unbegun].filter((key) => !expectedKeys.includes(key) && !failedKeys.has(key))
  expect.soft(lost, "abandoned, and neither expected nor failed").toEqual([])
  expect
    .soft(
      read(
        `SELECT count(*) FROM registrations r WHERE NOT EXISTS (SELECT 1 FROM files f WHERE f.registration_id = r.id)
          AND NOT EXISTS (SELECT 1 FROM expected_files e WHERE e.registration_id = r.id)`,
      ),
    )
    .toBe(0)
  // Nothing is left of what was deleted but that it was.
  expect.soft(read("SELECT count(*) FROM tombstones t JOIN files f ON f.key = t.key AND f.app_id = t.app_id")).toBe(0)
  // Every byte that is kept belongs to a file, small ones to a row.
  expect.soft(files.length).toBe(read("SELECT count(*) FROM files WHERE status = 'Uploaded' AND is_inline = 0"))
  expect
    .soft(read("SELECT count(*) FROM contents"))
    .toBe(read("SELECT count(*) FROM files WHERE status = 'Uploaded' AND is_inline = 1"))

  const callbacks = [...app.heard.values()].reduce((sum, { count }) => sum + count, 0)
  console.log(
    [
      `CRASH_SEED=${seed}`,
      `kills ${killed} (${[...killedIn].map(([moment, count]) => `${moment} ${count}`).join(", ")})`,
      `uploads ${counts.uploads} (${Math.round(counts.bytes / 1e6)} MB), resumes ${counts.resumes}, broken requests ${counts.broken}`,
      `deletions ${counts.deletions}, refused afterwards ${counts.refusedReturns}, renewals ${counts.renewals}`,
      `claims ${counts.claims}, gone without a claim ${counts.unclaimed}, verdicts ${counts.verdicts}`,
      `events ${app.heard.size}, callbacks ${callbacks}, of them duplicates ${callbacks - app.heard.size}`,
      `an endpoint heard of ${endpoint.heard.size} events, ${endpoint.count() - endpoint.heard.size} of them again`,
      `lost ${violations.length}`,
    ].join("\n"),
  )
  expect(killed).toBe(kills)
  for (const [moment, count] of killedIn) expect.soft(count, moment).toBeGreaterThanOrEqual(Math.floor(kills / 30))
  expect(counts.uploads).toBeGreaterThan(kills)
  expect(counts.resumes).toBeGreaterThan(kills / 3)
  expect(owed.length).toBeGreaterThan(kills / 2)
  expect(counts.deletions).toBeGreaterThan(kills / 3)
  expect(counts.refusedReturns).toBeGreaterThan(kills / 3)
  expect(counts.claims).toBeGreaterThan(kills / 10)
  expect(counts.unclaimed).toBeGreaterThan(kills / 10)
  expect(counts.verdicts).toBeGreaterThan(kills / 5)
  expect(counts.renewals).toBeGreaterThan(kills / 10)
  expect(expectedKeys.length, "expired before they were begun").toBeGreaterThan(0)
})
