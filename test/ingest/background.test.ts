import { execFile } from "node:child_process"
import { join } from "node:path"
import { promisify } from "node:util"
import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest"
import {
  createDiskBlobStore,
  createIngest,
  createMemoryBlobStore,
  createMemoryCatalog,
  createSqliteCatalog,
  type IngestOptions,
} from "../../src/ingest.ts"
import { createDrive, createDrivers } from "../../src/ingest/upkeep/drive.ts"
import { formatUploadRange, names, type UploadGrant } from "../../src/protocol.ts"
import { makeFolder } from "../make-folder.ts"
import { createWebhookSecret } from "../../src/protocol/signing/webhook-secret.ts"
import { apiKey, appId, createGrant, listen, sign, startApp, token } from "./circle.ts"
import { startCallback } from "./background-process.ts"

const url = "https://files.example"

/** An ingest that is called, and listens nowhere. */
const make = (options: Partial<IngestOptions> = {}) => {
  const ingest = createIngest({
    token,
    url,
    logLevel: "None",
    background: false,
    store: createMemoryBlobStore(),
    catalog: createMemoryCatalog(),
    callbackNetworks: "any",
    ...options,
  })
  onTestFinished(ingest.close)
  return ingest
}

type Made = ReturnType<typeof make>

/** Sends a request, and gives what is to be waited for after its answer. */
const send = async (ingest: Made, to: string, init?: RequestInit) => {
  const after: Array<Promise<unknown>> = []
  const response = await ingest.fetch(new Request(to, init), { waitUntil: (work) => after.push(work) })
  return { status: response.status, body: await response.text(), after: () => Promise.all(after) }
}

const put = async (ingest: Made, grant: UploadGrant, body = "hello") =>
  send(ingest, await sign(url, grant), { method: "PUT", body, headers: { range: formatUploadRange(0) } })

const register = (ingest: Made, fileKeys: ReadonlyArray<string>, callbackUrl: string, more: object = {}) =>
  send(ingest, `${url}/${names.path.register}`, {
    method: "POST",
    headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
    body: JSON.stringify({
      fileKeys,
      metadata: {},
      callbackUrl,
      callbackSlug: "avatar",
      awaitServerData: false,
      ...more,
    }),
  })

const upload = async (ingest: Made, callbackUrl: string, grant: UploadGrant = createGrant({ slug: "avatar" })) => {
  expect((await register(ingest, [grant.key], callbackUrl)).status).toBe(200)
  const sent = await put(ingest, grant)
  expect(sent.status).toBe(200)
  return { ...sent, grant }
}

// What is due is decided by a clock that stands still, however slow the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"] }))
afterEach(() => void vi.useRealTimers())
const pass = (time: number) => vi.setSystemTime(Date.now() + time)
const minute = 60_000

describe("an ingest without a background", () => {
  it("lets its process end: nothing is alive in it, before and after an upload", async () => {
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [join(import.meta.dirname, "background-process.ts")],
      {
        timeout: 30_000,
      },
    )
    expect(JSON.parse(stdout)).toEqual({ begun: [], status: 200, callbacks: 1 })
  })

  it("is what keeps it from working by itself", async () => {
    expect((await startCallback(true)).begun).not.toEqual([])
  })

  it("sends the callback of an upload in what waitUntil is given, and nothing before it is asked", async () => {
    const app = await startApp()
    const ingest = make()
    const { after } = await upload(ingest, app.url)
    await after()
    expect(app.received).toHaveLength(1)
    expect(await ingest.tick({ budget: 1000 })).toEqual({ isDone: true, underWay: 0, nextAt: null })
    expect(app.received).toHaveLength(1)
  })

  it("answers where waitUntil fails, or is missing, and sends it all the same as long as it lives", async () => {
    const app = await startApp()
    const ingest = make()
    const grant = createGrant({ slug: "avatar" })
    await register(ingest, [grant.key], app.url)
    const sent = { method: "PUT", body: "hello", headers: { range: formatUploadRange(0) } }
    const waitUntil = () => {
      throw new Error("There is no request.")
    }
    expect((await ingest.fetch(new Request(await sign(url, grant), sent), { waitUntil })).status).toBe(200)
    await app.until(1)
    const other = createGrant({ slug: "avatar" })
    await register(ingest, [other.key], app.url)
    expect((await ingest.fetch(new Request(await sign(url, other), sent))).status).toBe(200)
    await app.until(2)
  })

  it("sends it during the PUT where that waits for the app, and where the registration comes last", async () => {
    const app = await startApp()
    const ingest = make()
    const grant = createGrant({ slug: "avatar" })
    const early = await put(make({ callbackWait: 1 }), createGrant({ slug: "avatar" }))
    expect(early.status).toBe(504)
    const waiting = put(ingest, grant)
    await new Promise((resolve) => setTimeout(resolve, 50))
    const { after } = await register(ingest, [grant.key], app.url)
    await after()
    expect((await waiting).status).toBe(200)
    expect(app.received).toHaveLength(1)
  })

  it("makes no further attempt by itself: a tick does, and says when the next is due", async () => {
    const app = await startApp((_, count) => new Response(null, { status: count < 3 ? 500 : 200 }))
    const ingest = make({ callbackRetries: [minute, minute, minute] })
    const { after } = await upload(ingest, app.url)
    await after()
    pass(2 * minute)
    await new Promise((resolve) => setTimeout(resolve, 100))
    expect(app.received).toHaveLength(1)
    const second = await ingest.tick({ budget: 1000 })
    expect(app.received).toHaveLength(2)
    expect(second).toMatchObject({ isDone: true, underWay: 0 })
    expect(second.nextAt! - Date.now()).toBeGreaterThan(0)
    expect(await ingest.tick({ budget: 1000 })).toEqual(second)
    expect(app.received).toHaveLength(2)
    pass(2 * minute)
    expect(await ingest.tick({ budget: 1000 })).toEqual({ isDone: true, underWay: 0, nextAt: null })
    expect(app.received).toHaveLength(3)
    expect(new Set(app.received.map(({ headers }) => headers.get("webhook-id"))).size).toBe(1)
  })

  it("makes the callback due again for a PUT that is repeated, as ever", async () => {
    const app = await startApp((_, count) => new Response(null, { status: count < 2 ? 500 : 200 }))
    const ingest = make({ callbackWait: 3000 })
    const grant = createGrant({ slug: "avatar" })
    await register(ingest, [grant.key], app.url, { awaitServerData: true })
    expect((await put(ingest, grant)).status).toBe(502)
    const again = put(ingest, grant)
    await app.until(2)
    expect(app.received).toHaveLength(2)
    await ingest.close()
    expect((await again).status).toBe(503)
  })

  it("two ticks at once deliver once, also in two processes' catalogs, and what was made for a request is gone", async () => {
    const folder = await makeFolder()
    const one = () =>
      make({
        catalog: createSqliteCatalog({ file: join(folder, "catalog.sqlite") }),
        store: createDiskBlobStore({ folder: join(folder, "files") }),
        callbackRetries: [3_600_000],
      })
    const app = await startApp(async (_, count) => {
      await new Promise((resolve) => setTimeout(resolve, 50))
      return new Response(null, { status: count <= 5 ? 500 : 200 })
    })
    for (let count = 0; count < 5; count++) {
      const ingest = one()
      const { after } = await upload(ingest, app.url)
      await after()
      await ingest.close()
    }
    expect(app.received).toHaveLength(5)
    pass(2 * 3_600_000)
    const [a, b] = [one(), one()]
    const reports = await Promise.all([a.tick({ budget: 5000 }), a.tick({ budget: 5000 }), b.tick({ budget: 5000 })])
    expect(app.received).toHaveLength(10)
    const ids = app.received.slice(5).map(({ headers }) => headers.get("webhook-id"))
    expect(new Set(ids).size).toBe(5)
    expect(reports.some(({ isDone }) => isDone)).toBe(true)
    expect(await one().tick({ budget: 1000 })).toEqual({ isDone: true, underWay: 0, nextAt: null })
    expect(app.received).toHaveLength(10)
  })

  it("an attempt that a process did not end is made again, once its claim is over", async () => {
    const folder = await makeFolder()
    const one = (options: Partial<IngestOptions> = {}) =>
      make({
        catalog: createSqliteCatalog({ file: join(folder, "catalog.sqlite") }),
        store: createDiskBlobStore({ folder: join(folder, "files") }),
        ...options,
      })
    const app = await startApp((_, count) => (count === 1 ? new Promise<Response>(() => {}) : new Response(null)))
    const first = one()
    await upload(first, app.url)
    await app.until(1)
    // Its host takes the processor away: nothing is recorded.
    await first.close()
    const now = await one().tick({ budget: 1000 })
    expect([app.received.length, now.isDone]).toEqual([1, true])
    const wait = now.nextAt! - Date.now()
    expect(wait).toBeGreaterThan(30_000)
    expect(wait).toBeLessThanOrEqual(60_000)
  })

  it("a tick expires, deletes, and removes bytes; a request does none of it", async () => {
    const app = await startApp()
    const catalog = createMemoryCatalog({ largestContent: 0 })
    const store = createMemoryBlobStore()
    const removed: Array<string> = []
    const ingest = make({
      catalog,
      store: {
        ...store,
        remove: (key) => {
          removed.push(key)
          return store.remove(key)
        },
      },
      unfinishedTtl: 0,
    })
    const grant = createGrant({ slug: "avatar" })
    await register(ingest, [grant.key], app.url)
    expect((await put(ingest, { ...grant }, "hel")).status).toBe(409)
    pass(2 * minute)
    const other = await upload(ingest, app.url)
    await other.after()
    expect([app.received.length, removed.length]).toEqual([1, 0])
    expect(await ingest.tick({ budget: 2000 })).toMatchObject({ isDone: true, underWay: 0 })
    expect(app.received[1]!.headers.get(names.header.hook)).toBe("error")
    expect(removed).toHaveLength(1)
  })

  it("tells endpoints in what waitUntil is given, and again by a tick", async () => {
    const heard: Array<string> = []
    const receiver = await listen((request, response) => {
      let text = ""
      request.on("data", (piece: Buffer) => (text += piece.toString()))
      request.on("end", () => {
        heard.push(JSON.parse(text).type)
        response.writeHead(heard.length === 1 ? 500 : 200).end()
      })
    })
    const catalog = createMemoryCatalog()
    const secret = createWebhookSecret()
    const endpoint = { id: "ep_1", appId, url: receiver, events: ["uploaded"] as const, createdAt: 1, secret }
    expect(await catalog.createEndpoint(endpoint)).toBe("created")
    const ingest = make({ catalog, callbackRetries: [minute] })
    const { status, after } = await put(ingest, createGrant())
    expect(status).toBe(200)
    await after()
    pass(2 * minute)
    expect(heard).toEqual(["file.uploaded"])
    expect(await ingest.tick({ budget: 2000 })).toMatchObject({ isDone: true })
    expect(heard).toEqual(["file.uploaded", "file.uploaded"])
  })

  it("a tick ends with its budget, and says what it leaves", async () => {
    const app = await startApp((_, count) =>
      count === 1 ? new Response(null, { status: 500 }) : new Promise<Response>(() => {}),
    )
    const ingest = make({ callbackRetries: [minute] })
    const { after } = await upload(ingest, app.url)
    await after()
    pass(2 * minute)
    const none = await ingest.tick({ budget: 0 })
    expect([none.isDone, app.received.length]).toEqual([false, 1])
    expect(await ingest.tick({ budget: 300 })).toMatchObject({ isDone: false, underWay: 1 })
    expect(app.received).toHaveLength(2)
  })

  it("refuses what works in the background, a tick of one that has it, and a budget that is none", async () => {
    const scan = { clamd: "tcp://127.0.0.1:3310" } as never
    expect(() => make({ scan })).toThrow(/background is false, and scan works in the background/)
    expect(() => make({ tracing: { url: "http://localhost" } })).toThrow(/and tracing works in the background/)
    await expect(make({ background: true }).tick({ budget: 1 })).rejects.toThrow(/works by itself/)
    await expect(make().tick({ budget: Number.NaN })).rejects.toThrow(/budget is NaN/)
  })
})

describe("a tick on a catalog that has a clock of its own", () => {
  it("is done where nothing is due by that clock, however far ahead the machine's is", async () => {
    const now = () => 1000
    let calls = 0
    const outbox = {
      wake: () => void calls++,
      settle: async () => {},
      nextDueAt: async () => 2000,
      countUnderWay: () => 0,
      drain: async () => {},
      close: async () => {},
      pause: () => {},
    }
    const { tick } = createDrive({
      drivers: createDrivers(),
      outboxes: [outbox],
      housekeeping: { sweepWhile: () => Effect.void },
      catalog: { findNextDeadline: async () => null },
      now,
      write: () => {},
    })
    expect(await tick({ budget: 1000 })).toEqual({ isDone: true, underWay: 0, nextAt: 2000 })
    expect(calls).toBeLessThanOrEqual(2)
  })
})
