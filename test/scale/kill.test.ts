import { setTimeout as sleep } from "node:timers/promises"
import { expect, it, onTestFinished } from "vitest"
import { createAsk } from "../reliability/crash/ask.ts"
import { type Mood, resultOf, startReceivingApp } from "../reliability/crash/receiving-app.ts"
import { createUploads } from "../reliability/crash/uploads.ts"
import { createCounts, type Fate, isDeletion, isStored, type Upload } from "../reliability/crash/world.ts"
import type { Answer } from "../reliability/exchange.ts"
import { createRandom } from "../reliability/random.ts"
import { createFaults } from "./faults.ts"
import { createSmallApp, fillQuota, smallApp } from "./fill-quota.ts"
import { apiKey, appId, publicUrl, schema, startDeployment } from "./start-deployment.ts"
import { findWrongOwners, walkUsage } from "./walk.ts"

const seed = Number(process.env["SCALE_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const wanted = Number(process.env["SCALE_FAULTS"] ?? 60)
const isLong = wanted >= 300
/** Uploads under way at once. */
const concurrency = 16
const mebibyte = 1024 * 1024
/** How long an ingest stands still, ms. */
const standstill = isLong ? ([10_000, 22_000] as const) : ([2000, 5000] as const)
/** How long where others take it for dead before it goes on. */
const death = isLong ? ([18_000, 22_000] as const) : ([5000, 8000] as const)
/** Where there is less time everything of a process ends sooner. */
const times = isLong ? undefined : { lease: 4000, beat: 1000, look: 250, cutOff: 2700 }
/** Longer than an upload may be held up by several faults, one after the other: where its URL has expired it ends then. */
const unfinishedTtl = isLong ? 150_000 : 60_000
/** How long what is owed may take, ms: long, as a busy machine with a slow disk is not wrong. */
const patience = 300_000
const removeAgainAfter = 2 * death[1] + 5000

const fates: ReadonlyArray<Fate> = [
  ...Array.from({ length: 8 }, () => "finished" as const),
  "replaced",
  "abandoned",
  "lying",
  "renewed",
  "deleted",
  "deleted midway",
  "deleted with owner",
  "claimed",
  "released",
  "rejected",
]

const until = async (condition: () => boolean | Promise<boolean>, patience: number): Promise<boolean> => {
  for (const deadline = Date.now() + patience; !(await condition()); await sleep(50)) {
    if (Date.now() > deadline) return false
  }
  return true
}

it("lose nothing, whichever of them, the database, the bucket or a clock fails", { timeout: 3_600_000 }, async () => {
  const random = createRandom(seed)
  console.log(`SCALE_SEED=${seed}`)
  const violations = new Set<string>()
  const violate = (what: string) => {
    if (violations.has(what)) return
    violations.add(what)
    if (violations.size <= 20) console.log(`violation: ${what}`)
  }
  let isTooLate = false
  const isHopeless = () => isTooLate || violations.size >= 20
  const deployment = await startDeployment({
    random,
    fell: violate,
    prepare: createSmallApp,
    callbackWait: 1500,
    callbackTimeout: 1000,
    callbackRetries: Array.from({ length: 2000 }, () => 100),
    sweepInterval: 500,
    times,
    unfinishedTtl,
    // Longer than a request of one that stands still, and is cut off from the database after that, may take.
    bucket: { firstWait: 20, removeAgainAfter },
  })
  onTestFinished(deployment.stop)
  const { members, double, pool, pickUrl } = deployment

  let failures = 0
  const isFailure = ({ status }: Answer): boolean => {
    const isOne = status === 500 || status === 503
    if (isOne) failures++
    return isOne
  }
  /** How long a client waits for an answer, ms. */
  const answerTime = 4000
  const ask = createAsk({ isFailure, patience: answerTime })
  const deleted = new Set<string>()
  const held = new Set<string>()
  const moods: ReadonlyArray<Mood> = ["breaks off", "fails", "slow", "torn", "hangs", "late", "late"]
  const app = await startReceivingApp({
    apiKey,
    random,
    see: () => {},
    violate,
    ingestUrl: pickUrl,
    isDeleted: (key) => deleted.has(key),
    isHeld: (key) => held.has(key),
    pickMood: () => moods[random.below(20)] ?? "well",
    ask,
  })
  onTestFinished(app.close)

  /** In the catalog, one object, one object that may be resumed, and several parts. */
  const pickSize = (): number => {
    const kind = random.below(20)
    if (kind < 7) return random.between(1024, 16 * 1024)
    if (kind < 13) return random.between(16 * 1024 + 1, mebibyte)
    if (kind < 16) return random.between(mebibyte, 8 * mebibyte)
    return kind < 19 ? random.between(8 * mebibyte + 1, 18 * mebibyte) : random.between(18 * mebibyte, 40 * mebibyte)
  }
  const counts = createCounts()
  const uploads = createUploads({
    random,
    publicUrl,
    ingestUrl: pickUrl,
    appUrl: app.url,
    appId,
    apiKey,
    see: () => {},
    violate,
    isHopeless,
    counts,
    deleted,
    held,
    fates,
    pickSize,
    rivals: 0.15,
    isFailure,
    patience: answerTime,
    claimWithin: 2 * patience,
    isSealed: true,
  })

  // Of an abandoned upload that never heard an offset nobody but the ingest knows whether it was begun.
  const isOwed = (one: Upload): boolean =>
    one.registers !== "never" &&
    !isDeletion(one) &&
    one.fate !== "rejected" &&
    (one.fate !== "abandoned" || one.acknowledged > 0)
  const nameOf = (one: Upload) => `${one.grant.key} ${isStored(one) ? "uploaded" : "failed"}`
  const isHeard = (one: Upload): boolean => !isOwed(one) || app.heard.has(nameOf(one))
  const expectHeard = (one: Upload): void => {
    if (!isOwed(one) || isHopeless()) return
    const heard = app.heard.get(nameOf(one))
    if (heard === undefined) violate(`no event for ${nameOf(one)}`)
    else if (heard.ids.size !== 1) violate(`${heard.ids.size} event ids for ${nameOf(one)}`)
    else if (heard.last.status === "uploaded" && heard.last.file.fileHash !== one.fileHash) {
      violate(`the event for ${nameOf(one)} names another hash`)
    }
  }
  /** A connection that breaks, or something that fails, proves nothing: it is read until it is there, or another. */
  const verify = async (one: Upload, at?: string): Promise<void> => {
    while (!isHopeless() && (await uploads.verify(one, at)) === "broken") await sleep(10)
  }
  const remove = async (one: Upload): Promise<void> => {
    deleted.add(one.grant.key)
    await uploads.call("deleteFiles", { fileKeys: [one.grant.key] }, "deletion")
  }
  const stored = new Set<Upload>()
  const ended: Array<Upload> = []
  const ending = new AbortController()
  const over = ending.signal
  const upload = async (): Promise<void> => {
    let last: Upload | undefined
    while (!over.aborted && !isHopeless()) {
      const one = await uploads.run()
      ended.push(one)
      if (!isStored(one)) {
        one.content = new Uint8Array()
        continue
      }
      await verify(one)
      stored.add(one)
      const before = last
      last = one
      if (before === undefined) continue
      await verify(before)
      // Its callback is owed until it is deleted.
      await until(() => isHopeless() || isHeard(before), patience)
      expectHeard(before)
      stored.delete(before)
      await remove(before)
      before.content = new Uint8Array()
    }
  }
  let looks = 0
  let most = 0
  /** I7, at any moment. */
  const lookAtUsage = async (): Promise<void> => {
    const walks = await walkUsage(pool).catch(() => [])
    if (walks.length > 0) looks++
    for (const walk of walks) {
      if (walk.counted !== walk.walked) violate(`usage of ${walk.appId}: ${walk.counted}, and not ${walk.walked}`)
      if (walk.appId !== smallApp.id) continue
      most = Math.max(most, walk.taken)
      if (walk.taken > smallApp.quota) violate(`${walk.taken} bytes, where the quota is ${smallApp.quota}`)
    }
    for (const owner of await findWrongOwners(pool).catch(() => [])) violate(`usage of the owner ${owner}`)
  }
  const audit = async (): Promise<void> => {
    for (; !over.aborted && !isHopeless(); await sleep(100)) await lookAtUsage()
  }

  const clients = Array.from({ length: concurrency }, upload)
  const isStopping = () => over.aborted || isHopeless()
  let refusals = 0
  const refuse = () => void refusals++
  const fillers = Array.from({ length: 3 }, () =>
    fillQuota(deployment, random, { ask, violate, refuse, isOver: isStopping }),
  )
  const auditing = audit()
  const faults = createFaults(deployment, random, { standstill, death }, violate)
  const startedAt = performance.now()
  // Where the machine is busy clients come to less between two faults: there are more of them then.
  const isEnough = (): boolean =>
    counts.uploads > wanted / 2 && counts.resumes > wanted / 4 && refusals > wanted / 10 && looks > wanted
  let done = 0
  for (; (done < wanted || (!isEnough() && done < 4 * wanted)) && !isHopeless(); done++) {
    await faults.next()
    await sleep(random.between(200, 1600))
  }
  await faults.settle()
  ending.abort()
  const deadline = setTimeout(() => {
    isTooLate = true
    violate("uploads did not end within five minutes after the last fault")
  }, patience)
  await Promise.all([...clients, ...fillers, auditing])
  clearTimeout(deadline)

  // Nothing is under way any more: what was abandoned need not be waited for as long as before.
  for (const member of members) {
    await member.kill()
    await member.start({ unfinishedTtl: 2000 })
  }
  const kept = [...stored]
  for (const one of kept) for (const member of members) await verify(one, member.url())
  const owed = [...kept, ...ended.filter(({ fate }) => fate === "abandoned" || fate === "lying")]
  await until(() => isHopeless() || owed.every(isHeard), unfinishedTtl + patience)
  for (const one of owed) expectHeard(one)
  for (const [name, { ids }] of app.heard) if (ids.size !== 1) violate(`${ids.size} event ids for ${name}`)
  for (const one of kept) {
    const isAwaited = one.registers !== "never" && one.awaitServerData
    const expected = isAwaited ? resultOf([...(app.heard.get(nameOf(one))?.ids ?? [])].join()) : null
    for (const serverData of isHopeless() ? [] : [one.serverData, await uploads.repeat(one)]) {
      if (JSON.stringify(serverData) !== JSON.stringify(expected)) {
        violate(`the result of ${nameOf(one)} is ${JSON.stringify(serverData)}`)
      }
    }
  }
  await lookAtUsage()
  for (const one of kept) await remove(one)
  // What was abandoned expires, sweeps take its bytes, and what was removed is removed once more.
  const count = async (sql: string): Promise<number> => Number((await pool.query(sql)).rows[0].count)
  await until(
    async () =>
      isHopeless() ||
      (double.objects.size + double.uploads.size === 0 &&
        (await count(`SELECT count(*) FROM ${schema}.files WHERE status IN ('Uploading', 'Uploaded', 'Deleting')`)) ===
          0 &&
        (await count(`SELECT count(*) FROM ${schema}.late_removals`)) === 0),
    unfinishedTtl + 2 * removeAgainAfter + patience,
  )
  await lookAtUsage()

  const callbacks = [...app.heard.values()].reduce((sum, { count: times }) => sum + times, 0)
  const said = new Map<string, number>()
  for (const line of members.flatMap((member) => member.errors().split(/^(?=\[sluice\])/m))) {
    const head = line
      .split("\n")[0]!
      .slice(0, 160)
      .replaceAll(/[0-9a-f-]{20,}|\w+=\S+/g, "")
    if (head !== "") said.set(head, (said.get(head) ?? 0) + 1)
  }
  // A file is deleted by one ingest just when another one opens it: 500, as where the bucket has lost it.
  const unforeseen = members.flatMap((member) =>
    member
      .errors()
      .split(/^(?=\[sluice\])/m)
      .filter((line) => /failed unexpectedly/.test(line) && !/There are no such bytes/.test(line)),
  )
  const summary = [
    `SCALE_SEED=${seed}`,
    `faults ${done} in ${Math.round((performance.now() - startedAt) / 1000)} s with the end (${[...faults.counts].map(([name, times]) => `${name} ${times}`).join(", ")})`,
    `uploads ${counts.uploads} (${Math.round(counts.bytes / 1e6)} MB), resumes ${counts.resumes}, broken requests ${counts.broken}, failures answered ${failures}`,
    `deletions ${deleted.size}, renewals ${counts.renewals}, rivals that were answered ${counts.rivals}, refused returns ${counts.refusedReturns}`,
    `events ${app.heard.size}, callbacks ${callbacks}, of them duplicates ${callbacks - app.heard.size}`,
    `looks at usage ${looks}, no room ${refusals}, at most ${most} of ${smallApp.quota}`,
    `violations ${violations.size}`,
    ...[...said]
      .toSorted(([, a], [, b]) => b - a)
      .slice(0, 20)
      .map(([head, times]) => `log ${times} × ${head}`),
  ].join("\n")
  console.log(summary)
  // As the message: reports cut values short.
  expect.soft(violations.size, [...[...violations].slice(0, 10), summary].join("\n")).toBe(0)
  expect.soft([...double.objects.keys()], "objects that are left").toEqual([])
  expect
    .soft(
      [...double.uploads.values()].map(({ key }) => key),
      "multipart uploads that are left",
    )
    .toEqual([])
  const left = await pool.query(
    `SELECT key, status FROM ${schema}.files WHERE status IN ('Uploading', 'Uploaded', 'Deleting')`,
  )
  expect.soft(left.rows, "files that are left").toEqual([])
  const journal = await pool.query(`SELECT key FROM ${schema}.blobs UNION SELECT key FROM ${schema}.blob_parts`)
  expect.soft(journal.rows, "rows of the journal that are left").toEqual([])
  expect.soft(unforeseen.slice(0, 3), "what nobody foresaw").toEqual([])
  expect([...faults.counts.values()].reduce((sum, times) => sum + times, 0)).toBe(done)
  expect(
    isEnough(),
    `${counts.uploads} uploads, ${counts.resumes} resumes, ${refusals} without room, ${looks} looks`,
  ).toBe(true)
})
