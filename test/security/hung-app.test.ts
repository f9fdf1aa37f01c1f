import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { createMemoryCatalog, createSqliteCatalog } from "../../src/ingest.ts"
import type { CallbackEvent } from "../../src/protocol.ts"
import { eventually, putRaw, register, startApp, startIngest } from "../ingest/circle.ts"
import { acme, addTenant, grantOf, makeDataFolder, own, postResultOf, startIngestProcess, upload } from "./two-apps.ts"

/** A callback as it came in. */
interface Held {
  readonly event: CallbackEvent
  readonly response: ServerResponse
}

const readEvent = async (request: IncomingMessage): Promise<CallbackEvent> => {
  const chunks: Array<Buffer> = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString())
}

/**
 * An app that takes callbacks and answers none of them, until `work` says otherwise.
 *
 * @param before whether it answers those of some files all the same, as one that worked before it hung
 */
const startHungApp = async (
  answer: (held: Held) => Promise<void>,
  before: (event: CallbackEvent, path: string) => boolean = () => false,
) => {
  const waiting: Array<Held> = []
  const seen: Array<string> = []
  let [open, peak, closed, isWorking] = [0, 0, 0, false]
  const server = createServer(async (request, response) => {
    peak = Math.max(peak, ++open)
    response.on("close", () => (open--, closed++))
    const held = { event: await readEvent(request), response }
    if (before(held.event, request.url!)) return answer(held)
    seen.push(held.event.file.key)
    if (isWorking) await answer(held)
    else waiting.push(held)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/sluice`,
    seen,
    open: () => open,
    /** Callbacks that have ended, one way or the other. */
    closed: () => closed,
    /** The most callbacks at once since this was last asked. */
    peak: () => {
      const most = peak
      peak = open
      return most
    },
    work: async () => {
      isWorking = true
      await Promise.all(waiting.splice(0).map(answer))
    },
  }
}

const percentile = (values: ReadonlyArray<number>, share: number): number =>
  values.toSorted((a, b) => a - b)[Math.ceil(values.length * share) - 1]!

describe("an app whose callbacks hang", () => {
  it("with a thousand of them leaves the callbacks of another app alone, and gets its own when it works again", async () => {
    const data = await makeDataFolder()
    const limits = ["--callback-networks", "any", "--callback-timeout", "5 minutes", "--callback-wait", "5 minutes"]
    const ingest = await startIngestProcess(data, limits)
    let first = ""
    const hung = await startHungApp(
      async ({ event, response }) => {
        await postResultOf(ingest.url, acme, event.file.key, event.file.key === first ? "first" : "late")
        response.end()
      },
      ({ file }) => first === "" && (first = file.key) !== "",
    )
    // It has worked until now.
    const { response: worked } = await upload(ingest.url, acme, { callbackUrl: hung.url })
    expect(await worked.json()).toMatchObject({ serverData: "first" })
    const waiting = Array.from({ length: 1000 }, async () => {
      const { response } = await upload(ingest.url, acme, { callbackUrl: hung.url })
      return (await response.json()).serverData as unknown
    })
    await eventually(() => hung.open() >= 32)

    const app = await startApp(async ({ event }) => {
      if (event.status === "uploaded") await postResultOf(ingest.url, own, event.file.key, event.file.key)
      return new Response()
    })
    const times: Array<number> = []
    for (let at = 0; at < 200; at += 10) {
      await Promise.all(
        Array.from({ length: 10 }, async () => {
          const startedAt = performance.now()
          const { key, response } = await upload(ingest.url, own, { callbackUrl: app.url })
          expect(await response.json()).toMatchObject({ serverData: key })
          times.push(performance.now() - startedAt)
        }),
      )
    }
    expect(app.received.map(({ event }) => event.attempt)).toEqual(Array.from({ length: 200 }, () => 1))
    // A quarter of 256.
    expect(hung.open()).toBe(64)
    console.log(
      `others while 1,000 callbacks hang: p50 ${percentile(times, 0.5).toFixed(0)} ms, p99 ${percentile(times, 0.99).toFixed(0)} ms`,
    )
    // Where one app held all slots it was 30 s, and a 504.
    expect(percentile(times, 0.99)).toBeLessThan(5000)

    await hung.work()
    expect(new Set(await Promise.all(waiting))).toEqual(new Set(["late"]))
    expect(new Set(hung.seen).size).toBe(1000)
    expect(hung.seen).toHaveLength(1000)
    expect(hung.peak()).toBe(64)
  }, 120_000)

  it.each([
    ["SQLite", () => createSqliteCatalog({ file: ":memory:" })],
    ["memory", () => createMemoryCatalog()],
  ])(
    "gets two at a time after one that timed out, a quarter when it answers again, and loses none (%s)",
    async (_, createCatalog) => {
      const catalog = createCatalog()
      let first = ""
      const hung = await startHungApp(
        async ({ response }) => {
          await new Promise((resolve) => setTimeout(resolve, 20))
          response.end()
        },
        ({ file }) => first === "" && (first = file.key) !== "",
      )
      const callbackRetries = Array.from({ length: 100 }, () => 10)
      const ingest = await startIngest({ catalog, maxConcurrentCallbacks: 40, callbackTimeout: 500, callbackRetries })
      await uploadUnawaited(ingest.url, own, hung.url)
      await eventually(() => hung.closed() === 1)
      const keys = await Promise.all(
        Array.from({ length: 40 }, async () => {
          const { key, url } = await grantOf(ingest.url, own)
          await register(ingest.url, { fileKeys: [key], callbackUrl: hung.url, awaitServerData: false })
          expect((await putRaw(url, "hello")).status).toBe(200)
          return key
        }),
      )
      await eventually(() => hung.closed() >= 11)
      const most = hung.peak()
      expect(most).toBeGreaterThan(2)
      expect(most).toBeLessThanOrEqual(10)
      await eventually(() => hung.open() <= 2)
      const before = hung.closed()
      hung.peak()
      await eventually(() => hung.closed() >= before + 6)
      expect(hung.peak()).toBe(2)
      await hung.work()
      await eventually(async () => (await catalog.countDeliveries(100)).pending === 0)
      for (const key of keys) expect((await catalog.get(key))?.delivery?.status).toBe("delivered")
      expect(hung.peak()).toBeGreaterThan(2)
    },
  )

  it("has what piled up sent oldest first", async () => {
    const catalog = createSqliteCatalog({ file: ":memory:" })
    const hung = await startHungApp(async ({ response }) => void response.end())
    // One slot.
    const ingest = await startIngest({ catalog, maxConcurrentCallbacks: 4 })
    const keys: Array<string> = []
    for (let count = 0; count < 20; count++) {
      const { key, url } = await grantOf(ingest.url, own)
      await register(ingest.url, { fileKeys: [key], callbackUrl: hung.url, awaitServerData: false })
      await putRaw(url, "hello")
      keys.push(key)
    }
    await hung.work()
    await eventually(() => hung.seen.length === 20)
    expect(hung.seen).toEqual(keys)
    expect(hung.peak()).toBe(1)
  })

  it("beside two others that hang leaves a fourth app its callbacks", async () => {
    const catalog = createMemoryCatalog()
    const tenants = ["a", "b", "c", "d"].map((id) => ({ id: `app-${id}`, apiKey: `sk_${id}` }))
    for (const tenant of tenants) await addTenant(catalog, tenant)
    const ingest = await startIngest({ catalog, maxConcurrentCallbacks: 16, callbackNetworks: "any" })
    const worked = new Set<string>()
    const hung = await startHungApp(
      async ({ response }) => void response.end(),
      ({ file }) => worked.size < 4 && worked.add(file.key).size > 0,
    )
    for (const tenant of tenants) await uploadUnawaited(ingest.url, tenant, hung.url)
    await eventually(() => hung.closed() === 4)
    for (const tenant of tenants) {
      for (let count = 0; count < 8; count++) {
        await uploadUnawaited(ingest.url, tenant, hung.url)
      }
    }
    const app = await startApp()
    await uploadUnawaited(ingest.url, own, app.url)
    await app.until(1)
    expect(hung.peak()).toBeLessThanOrEqual(15)
  })
})

it("apps that hang by the dozen leave others their callbacks: one that has answered before, and one that is new", async () => {
  const catalog = createMemoryCatalog()
  const [newcomer, ...tenants] = Array.from({ length: 41 }, (_, id) => ({ id: `tenant-${id}`, apiKey: `sk_${id}` }))
  for (const tenant of [newcomer!, ...tenants]) await addTenant(catalog, tenant)
  const callbackRetries = Array.from({ length: 100 }, () => 10)
  const ingest = await startIngest({ catalog, maxConcurrentCallbacks: 16, callbackNetworks: "any", callbackRetries })
  const app = await startApp()
  await uploadUnawaited(ingest.url, own, app.url)
  await app.until(1)
  // They hang up the first time, and hang from then on.
  const met = new Set<string>()
  const hung = await startHungApp(
    async ({ response }) => void response.destroy(),
    (_event, path) => !met.has(path) && met.add(path).size > 0,
  )
  for (const tenant of tenants) {
    for (let count = 0; count < 3; count++) await uploadUnawaited(ingest.url, tenant, `${hung.url}/${tenant.id}`)
  }
  // A quarter of all, and no more.
  await eventually(() => hung.open() === 4)
  await uploadUnawaited(ingest.url, own, app.url)
  await uploadUnawaited(ingest.url, newcomer!, app.url)
  await app.until(3)
  expect(hung.open()).toBe(4)
})

it("apps that answer, and take long for it, have half of the places: one that is prompt gets its callbacks", async () => {
  const catalog = createMemoryCatalog()
  const tenants = Array.from({ length: 12 }, (_, id) => ({ id: `tenant-${id}`, apiKey: `sk_${id}` }))
  for (const tenant of tenants) await addTenant(catalog, tenant)
  const ingest = await startIngest({ catalog, maxConcurrentCallbacks: 16, callbackNetworks: "any" })
  const app = await startApp()
  await uploadUnawaited(ingest.url, own, app.url)
  await app.until(1)
  const met = new Set<string>()
  const slow = await startHungApp(
    async ({ response }) => {
      await new Promise((resolve) => setTimeout(resolve, 5200))
      response.end()
    },
    (_event, path) => !met.has(path) && met.add(path).size > 0,
  )
  for (const tenant of tenants) await uploadUnawaited(ingest.url, tenant, `${slow.url}/${tenant.id}`)
  await eventually(() => slow.closed() === tenants.length)
  for (const tenant of tenants) {
    for (let count = 0; count < 4; count++) await uploadUnawaited(ingest.url, tenant, `${slow.url}/${tenant.id}`)
  }
  await eventually(() => slow.open() === 8)
  await uploadUnawaited(ingest.url, own, app.url)
  await app.until(2)
  expect(slow.open()).toBe(8)
}, 90_000)

const uploadUnawaited = async (ingestUrl: string, tenant: typeof own, callbackUrl: string) => {
  const { response } = await upload(ingestUrl, tenant, { callbackUrl, awaitServerData: false })
  expect(response.status).toBe(200)
}

describe("the slots of callbacks", () => {
  it("come back from commits that need none: of files nobody registered, sent twice, cut off or deleted", async () => {
    const catalog = createSqliteCatalog({ file: ":memory:", largestContent: 0 })
    const app = await startApp()
    // One slot for the app: a single one that does not come back is the last.
    const ingest = await startIngest({ catalog, maxConcurrentCallbacks: 1, callbackWait: 100 })
    const unregistered = await Promise.all(
      Array.from({ length: 10 }, async () => {
        const granted = await grantOf(ingest.url, own)
        await putRaw(granted.url, "hello")
        await putRaw(granted.url, "hello")
        return granted.key
      }),
    )
    // The newest of many writers wins, all others are fenced off.
    const { url, key } = await grantOf(ingest.url, own)
    await Promise.all(Array.from({ length: 10 }, () => putRaw(url, "hello")))
    const { key: short, url: shortUrl } = await grantOf(ingest.url, own)
    expect((await putRaw(shortUrl, "hello, too long")).status).toBeGreaterThanOrEqual(400)
    expect((await catalog.get(short))?.file.status).not.toBe("Uploaded")
    const fileKeys = [...unregistered, key]
    await register(ingest.url, { fileKeys, callbackUrl: app.url, awaitServerData: false })
    await eventually(async () => (await catalog.countDeliveries(100)).pending === 0)
    expect(app.received).toHaveLength(11)
  })
})

it("requests that wait for an app that hangs are bounded: those beyond are told to come back, with their file untouched", async () => {
  const catalog = createMemoryCatalog()
  await addTenant(catalog, acme)
  const hung = await startHungApp(async ({ response }) => void response.end())
  const ingest = await startIngest({ catalog, maxConcurrentUploads: 3, callbackNetworks: "any" })
  const waiting = Array.from({ length: 3 }, () => upload(ingest.url, acme, { callbackUrl: hung.url }))
  // The third waits until the app has answered.
  await eventually(async () => hung.open() === 2 && (await catalog.countDeliveries(100)).pending === 3)
  const { key, response } = await upload(ingest.url, acme, { callbackUrl: hung.url })
  expect([response.status, (await response.json()).code]).toEqual([429, "RATE_LIMITED"])
  expect((await catalog.get(key))?.file.status).not.toBe("Uploaded")
  const other = await upload(ingest.url, own, { callbackUrl: hung.url, awaitServerData: false })
  expect(other.response.status).toBe(200)
  await ingest.close()
  expect((await Promise.all(waiting)).map(({ response: { status } }) => status)).toEqual([503, 503, 503])
})
