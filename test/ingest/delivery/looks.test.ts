import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { createMemoryCatalog, createSqliteCatalog, type UploadRecord } from "../../../src/ingest.ts"
import { createLooks } from "../../../src/ingest/delivery/looks.ts"
import { makeFolder } from "../../make-folder.ts"
import { createGrant, postResult, putRaw, register, sign, startApp, startIngest } from "../circle.ts"

describe("a look into the catalog", () => {
  beforeEach(() => void vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] }))
  afterEach(() => void vi.useRealTimers())

  /** Looks into a catalog in which these keys have a file. */
  const start = (...known: ReadonlyArray<string>) => {
    const reads: Array<ReadonlyArray<string>> = []
    const notified: Array<string> = []
    const state = { isFailing: false }
    const looks = createLooks({
      catalog: {
        getMany: async (keys) => {
          reads.push(keys)
          if (state.isFailing) throw new Error("The catalog fails.")
          return keys.filter((key) => known.includes(key)).map((key) => ({ file: { key } }) as UploadRecord)
        },
      },
      changes: { notify: (key) => void notified.push(key) },
    })
    return { looks, reads, notified, state }
  }

  const never = () => false
  const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms)

  it("is one for all who wait, every 200 ms", async () => {
    const { looks, reads } = start()
    for (const key of ["a", "b", "b", "c"]) looks.join(key, never)
    await pass(800)
    expect(reads).toEqual([
      ["a", "b", "c"],
      ["a", "b", "c"],
      ["a", "b", "c"],
    ])
  })

  it("is for nobody who has waited less than 200 ms, and for everybody who has waited 400 ms", async () => {
    const { looks, reads } = start()
    looks.join("a", never)
    await pass(190)
    looks.join("b", never)
    const leave = looks.join("c", never)
    await pass(190)
    leave()
    expect(reads).toEqual([])
    await pass(20)
    expect(reads).toEqual([["a", "b"]])
  })

  it("is not made where nobody waits any more, and is made for the next one who waits", async () => {
    const { looks, reads } = start()
    const leave = looks.join("a", never)
    await pass(150)
    leave()
    expect(vi.getTimerCount()).toBe(0)
    await pass(1000)
    expect(reads).toEqual([])
    looks.join("b", never)
    await pass(400)
    expect(reads).toEqual([["b"]])
  })

  it("notifies those whose file has become what they wait for, and those whose file is gone", async () => {
    const { looks, notified } = start("a", "b")
    looks.join("a", (upload) => upload !== null)
    looks.join("b", never)
    looks.join("gone", (upload) => upload === null)
    await pass(400)
    expect(notified).toEqual(["a", "gone"])
  })

  it("goes on after the catalog has failed", async () => {
    const { looks, reads, notified, state } = start("a")
    state.isFailing = true
    looks.join("a", (upload) => upload !== null)
    await pass(600)
    expect([reads.length, notified]).toEqual([2, []])
    state.isFailing = false
    await pass(200)
    expect(notified).toEqual(["a"])
  })

  it("reads a thousand keys at most, and the others the next time", async () => {
    const { looks, reads } = start()
    for (let index = 0; index < 1500; index++) looks.join(`${index}`, never)
    await pass(600)
    expect(reads.map(({ length }) => length)).toEqual([1000, 1000])
    expect(new Set(reads.flat()).size).toBe(1500)
  })
})

describe("a PUT that waits at one ingest of several over one catalog", () => {
  const inMemory = async () => {
    const catalog = createMemoryCatalog()
    return () => catalog
  }
  const inSqlite = async () => {
    const file = join(await makeFolder(), "catalog.sqlite")
    return () => createSqliteCatalog({ file })
  }

  it.each([
    ["memory", inMemory],
    ["SQLite", inSqlite],
  ])("is answered with the result that was posted at another one (%s)", async (_, prepare) => {
    const open = await prepare()
    const here = await startIngest({ catalog: open() })
    const other = await startIngest({ catalog: open() })
    const answered = Promise.withResolvers<void>()
    // While the app does not answer its callback, this ingest hears nothing of the result.
    const app = await startApp(async () => {
      await answered.promise
      return new Response(null, { status: 200 })
    })
    const grant = createGrant({ slug: "avatar" })
    await register(here.url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: true })
    const waiting = putRaw(await sign(here.url, grant), "hello")
    await app.until(1)
    expect((await postResult(other.url, { fileKey: grant.key, callbackData: { from: "elsewhere" } })).status).toBe(200)
    const response = await waiting.finally(answered.resolve)
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ serverData: { from: "elsewhere" } })
  })

  it.each([
    ["memory", inMemory],
    ["SQLite", inSqlite],
  ])("is answered when its file is deleted at another one (%s)", async (_, prepare) => {
    const open = await prepare()
    const here = await startIngest({ catalog: open() })
    const catalog = open()
    const grant = createGrant({ slug: "avatar" })
    // Nobody registers it, so nothing happens here.
    const waiting = putRaw(await sign(here.url, grant), "hello")
    await vi.waitUntil(async () => (await catalog.get(grant.key))?.file.status === "Uploaded", 30_000)
    await catalog.deleteFiles({ appId: grant.appId, files: [{ fileKey: grant.key }], now: Date.now() })
    const response = await waiting
    expect([response.status, (await response.json()).code]).toEqual([404, "NOT_FOUND"])
  })
})
