import { createHash } from "node:crypto"
import { afterAll, beforeAll, expect, it } from "vitest"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { Catalog } from "../../src/ingest.ts"
import { startReceivingApp } from "../reliability/crash/receiving-app.ts"
import { exchange, type Outgoing } from "../reliability/exchange.ts"
import { createRandom } from "../reliability/random.ts"
import { createSmallApp, smallApp } from "./fill-quota.ts"
import { apiKey, appId, type Deployment, schema, startDeployment } from "./start-deployment.ts"
import { createUploader } from "./uploader.ts"
import { walkUsage } from "./walk.ts"

const seed = Number(process.env["SCALE_SEED"] ?? Math.floor(Math.random() * 2 ** 31))
const random = createRandom(seed)

const hungApp = { id: "hung", apiKey: "sk_test_hung_0123456789" } as const

const prepare = async (catalog: Catalog): Promise<void> => {
  await createSmallApp(catalog)
  const { id, apiKey: hungKey } = hungApp
  await catalog.createApp({ id, createdAt: 1, name: null, defaultAcl: null, callbackOrigins: null, quota: null })
  await catalog.addKey({ appId: id, apiKey: hungKey, now: 1 })
}

let deployment: Deployment

beforeAll(async () => {
  console.log(`SCALE_SEED=${seed}`)
  deployment = await startDeployment({
    random,
    fell: console.log,
    prepare,
    callbackRetries: Array.from({ length: 20 }, () => 100),
  })
})

afterAll(() => deployment.stop())

/** Does it so many times, so many at once. */
const times = async (count: number, atOnce: number, work: (index: number) => Promise<void>): Promise<void> => {
  let next = 0
  const go = async (): Promise<void> => {
    while (next < count) await work(next++)
  }
  await Promise.all(Array.from({ length: atOnce }, go))
}

const describeTimes = (ms: ReadonlyArray<number>): string => {
  const sorted = ms.toSorted((a, b) => a - b)
  const at = (part: number) => Math.round(sorted[Math.min(sorted.length - 1, Math.floor(part * sorted.length))] ?? NaN)
  return `p50 ${at(0.5)} ms, p90 ${at(0.9)} ms, p99 ${at(0.99)} ms, at most ${at(1)} ms, of ${sorted.length}`
}

const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex")

it(
  "call back exactly once, and the PUT that waits hears it, wherever the result is posted",
  { timeout: 180_000 },
  async () => {
    const violations: Array<string> = []
    /** Which attempts of each event have come. */
    const attempts = new Map<string, ReadonlyArray<number>>()
    /** When the result of a file was answered. */
    const posted = new Map<string, number>()
    const ask = async (url: string, outgoing: Outgoing) => {
      const answer = await exchange(url, outgoing)
      const { fileKey } = JSON.parse(String(outgoing.body?.[0]))
      posted.set(fileKey, performance.now())
      return answer
    }
    const app = await startReceivingApp({
      apiKey,
      random,
      see: () => {},
      violate: (what) => void violations.push(what),
      ingestUrl: deployment.pickUrl,
      isDeleted: () => false,
      isHeld: () => false,
      pickMood: ({ id, attempt }) => {
        attempts.set(id, [...(attempts.get(id) ?? []), attempt])
        return random.chance(0.15) ? "fails" : random.chance(0.6) ? "late" : "well"
      },
      ask,
    })
    const uploader = createUploader(appId, apiKey, app.url)
    const waits: Array<number> = []
    let asked = 0
    const puts: Array<number> = []
    const keys: Array<string> = []
    await times(300, 12, async () => {
      const content = Buffer.alloc(
        random.chance(0.7) ? random.between(1, 16_384) : random.between(16_385, 1_000_000),
        "a",
      )
      const grant = await uploader.createGrant(content.length)
      keys.push(grant.key)
      const startedAt = performance.now()
      let answer = await uploader.put(await deployment.pickUrl(), grant, 0, [content])
      // The app has failed: the client asks again.
      for (; answer?.status === 502; asked++) {
        answer = await uploader.put(await deployment.pickUrl(), grant, content.length, [])
      }
      const answeredAt = performance.now()
      puts.push(answeredAt - startedAt)
      if (answer?.status !== 200) return void violations.push(`${grant.key}: ${answer?.status} ${String(answer?.body)}`)
      const { fileHash, serverData } = JSON.parse(answer.body.toString())
      const ids = [...(app.heard.get(`${grant.key} uploaded`)?.ids ?? [])]
      if (fileHash !== sha256(content)) violations.push(`${grant.key}: another hash`)
      if (serverData?.handled !== ids.join())
        violations.push(`${grant.key}: ${JSON.stringify(serverData)}, not of ${ids.join()}`)
      const at = posted.get(grant.key)
      if (at !== undefined) waits.push(Math.max(0, answeredAt - at))
    })
    app.close()
    console.log(`from the answer to a result to that of the PUT: ${describeTimes(waits)}`)
    console.log(`PUT with its callback, results up to 300 ms late: ${describeTimes(puts)}`)
    expect(violations).toEqual([])
    expect([...app.heard.values()].map(({ ids }) => ids.size)).toEqual(keys.map(() => 1))
    // Each attempt once, and another one only after a failure.
    for (const made of attempts.values()) expect(made).toEqual(made.map((_, index) => index + 1))
    expect(asked).toBeGreaterThan(0)
    expect(waits.length).toBeGreaterThan(100)
    expect(Math.max(...waits)).toBeLessThan(5000)
  },
)

it("take no more than the quota of an app has room for, however many ask at once", { timeout: 120_000 }, async () => {
  const uploader = createUploader(smallApp.id, smallApp.apiKey)
  const size = 100_000
  const content = [Buffer.alloc(size, "a")]
  const room = smallApp.quota / size
  for (let round = 0; round < 10; round++) {
    const statuses: Array<number | undefined> = []
    const keys: Array<string> = []
    await times(60, 60, async (index) => {
      const at = deployment.members[index % deployment.members.length]!.url()!
      const grant = await uploader.createGrant(size)
      keys.push(grant.key)
      statuses.push((await uploader.put(at, grant, 0, content))?.status)
    })
    expect(statuses.filter((status) => status === 200)).toHaveLength(room)
    expect(statuses.filter((status) => status === 507)).toHaveLength(60 - room)
    const usage = (await walkUsage(deployment.pool)).find((walk) => walk.appId === smallApp.id)!
    expect(usage.taken).toBe(smallApp.quota)
    expect(usage.counted).toBe(usage.walked)
    await uploader.call(await deployment.pickUrl(), "deleteFiles", { fileKeys: keys })
  }
})

it("serve other apps while 1,000 uploads wait for an app that hangs", { timeout: 180_000 }, async () => {
  const hanging = createServer(() => {})
  await new Promise<void>((resolve) => hanging.listen(0, "127.0.0.1", resolve))
  const app = await startReceivingApp({
    apiKey,
    random,
    see: () => {},
    violate: (what) => console.log(what),
    ingestUrl: deployment.pickUrl,
    isDeleted: () => false,
    isHeld: () => false,
    pickMood: () => "well",
  })
  const { pool } = deployment
  const callbackUrl = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}/api/sluice`
  const hung = createUploader(hungApp.id, hungApp.apiKey, callbackUrl)
  const content = [Buffer.alloc(1024, "a")]
  const stored = async (): Promise<number> =>
    Number(
      (await pool.query(`SELECT count(*) FROM ${schema}.files WHERE app_id = 'hung' AND status = 'Uploaded'`)).rows[0]
        .count,
    )
  let answered = 0
  const waiting = Array.from({ length: 1000 }, async (_, index) => {
    const at = deployment.members[index % deployment.members.length]!.url()!
    await hung.put(at, await hung.createGrant(1024), 0, content)
    answered++
  })
  while ((await stored()) < 1000) await new Promise((resolve) => setTimeout(resolve, 50))
  const other = createUploader(appId, apiKey, app.url)
  const statuses: Array<number | undefined> = []
  const ms: Array<number> = []
  await times(300, 8, async (index) => {
    const at = deployment.members[index % deployment.members.length]!.url()!
    const grant = await other.createGrant(1024)
    const startedAt = performance.now()
    statuses.push((await other.put(at, grant, 0, content))?.status)
    ms.push(performance.now() - startedAt)
  })
  console.log(`PUT of others while ${1000 - answered} wait for an app that hangs: ${describeTimes(ms)}`)
  expect(statuses.filter((status) => status !== 200)).toEqual([])
  // They had to wait for none of those.
  expect(answered).toBe(0)
  hanging.closeAllConnections()
  hanging.close()
  app.close()
  await Promise.all(waiting)
})
