import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  type BlobStore,
  createDiskBlobStore,
  createMemoryBlobStore,
  createMemoryCatalog,
  createSqliteCatalog,
} from "../../../src/ingest.ts"
import { createGrant, eventually, putRaw, register, sign, startApp, startIngest } from "../circle.ts"
import { makeFolder } from "../../make-folder.ts"
import { startHalf } from "../upload/start-half.ts"
import { answerOf, call, codeOf, store } from "./rest-app.ts"

/** An ingest over a folder, and how many blobs are in it. It sweeps only when it is woken. */
const startOnDisk = async (options: Parameters<typeof startIngest>[0] = {}) => {
  const folder = await makeFolder()
  const blobs = join(folder, "blobs")
  const ingest = await startIngest({
    store: createDiskBlobStore({ folder: blobs }),
    catalog: createSqliteCatalog({ file: join(folder, "catalog.sqlite"), largestContent: 0 }),
    ...options,
  })
  const countBlobs = async () =>
    (await readdir(blobs, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile()).length
  return { ...ingest, countBlobs }
}

const remove = async (url: string, body: object) => (await answerOf(await call(url, "deleteFiles", body))).deletedCount

/** A body of which the first bytes come at once and the others never. */
const createHangingBody = (start: string) =>
  new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(new TextEncoder().encode(start)),
  })

describe("deleteFiles", () => {
  it("hides files at once, gives their bytes back soon, and counts each once", async () => {
    const ingest = await startOnDisk()
    const keys = [await store(ingest, { customId: "mine" }), await store(ingest, { customId: "mine" })]
    const kept = await store(ingest)
    expect(await ingest.countBlobs()).toBeGreaterThan(0)
    expect(await remove(ingest.url, { fileKeys: [keys[0], keys[0], "unknown"] })).toBe(1)
    expect((await fetch(`${ingest.url}/f/${keys[0]}`)).status).toBe(404)
    expect((await fetch(`${ingest.url}/f/${keys[1]}`)).status).toBe(200)
    expect(await remove(ingest.url, { customIds: ["mine", "yours"] })).toBe(1)
    expect((await fetch(`${ingest.url}/a/app-1/mine`)).status).toBe(404)
    await eventually(async () => (await ingest.catalog.get(keys[1]!)) === null)
    await eventually(async () => (await ingest.catalog.listReclaimable(9)).length === 0)
    const { files } = await answerOf(await call(ingest.url, "listFiles", {}))
    expect(files).toMatchObject([{ key: kept }])
    const left = await ingest.countBlobs()
    expect(await remove(ingest.url, { fileKeys: [kept] })).toBe(1)
    await eventually(async () => (await ingest.countBlobs()) < left)
    await eventually(async () => (await ingest.catalog.get(kept)) === null)
    expect(await ingest.countBlobs()).toBe(0)
  })

  it("ends an upload under way with an answer that says so, and none of its bytes stay", async () => {
    const ingest = await startOnDisk()
    const grant = createGrant({ size: 500_000 })
    const signed = await sign(ingest.url, grant)
    const answered = putRaw(signed, createHangingBody("x".repeat(200_000)))
    await eventually(async () => (await ingest.catalog.get(grant.key))?.file.status === "Uploading")
    expect(await remove(ingest.url, { fileKeys: [grant.key] })).toBe(1)
    const response = await answered
    expect(response.status).toBe(404)
    expect(await response.json()).toMatchObject({ code: "NOT_FOUND", detail: expect.stringContaining("deleted") })
    await eventually(async () => (await ingest.catalog.get(grant.key)) === null)
    expect(await ingest.countBlobs()).toBe(0)
    expect(await ingest.catalog.usage(grant.appId)).toMatchObject({ files: 0, storedBytes: 0, announcedBytes: 0 })
  })

  it("ends an upload whose last byte is just being made durable", async () => {
    const isFinishing = Promise.withResolvers<void>()
    const mayFinish = Promise.withResolvers<void>()
    const memory = createMemoryBlobStore()
    const slow: BlobStore = {
      ...memory,
      finish: async (name, finish) => {
        isFinishing.resolve()
        await mayFinish.promise
        return memory.finish(name, finish)
      },
    }
    const catalog = createMemoryCatalog({ largestContent: 0 })
    const ingest = await startIngest({ store: slow, catalog })
    const grant = createGrant()
    const answered = putRaw(await sign(ingest.url, grant), "hello")
    await isFinishing.promise
    expect(await remove(ingest.url, { fileKeys: [grant.key] })).toBe(1)
    mayFinish.resolve()
    expect(await codeOf(await answered)).toBe("404 NOT_FOUND")
    await eventually(async () => (await catalog.get(grant.key)) === null)
  })

  it("of one owner's files leaves a file under way alone of which nothing is known yet but its key", async () => {
    const { url } = await startIngest()
    const grant = createGrant()
    const { end, ended } = await startHalf(await sign(url, grant), 3, grant.size)
    expect(await remove(url, { fileKeys: [grant.key], owner: "user-7" })).toBe(0)
    end(2)
    expect(await ended).toBe(200)
  })

  it("takes an upload that was interrupted; its signed URL counts no more", async () => {
    const ingest = await startOnDisk()
    const grant = createGrant()
    const signed = await sign(ingest.url, grant)
    expect((await putRaw(signed, "hel")).status).toBe(409)
    expect(await remove(ingest.url, { fileKeys: [grant.key] })).toBe(1)
    await eventually(async () => (await ingest.catalog.get(grant.key)) === null)
    expect(await ingest.countBlobs()).toBe(0)
    expect((await fetch(signed, { method: "HEAD" })).status).toBe(404)
    expect(await codeOf(await putRaw(signed, "hello"))).toBe("404 NOT_FOUND")
  })

  it("answers whoever waits for the app, and calls the app back no more", async () => {
    const app = await startApp((_received, count) => new Response(null, { status: count > 0 ? 500 : 200 }))
    const ingest = await startOnDisk({ callbackRetries: [50, 50, 50] })
    const grant = createGrant({ slug: "avatar" })
    await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false })
    expect((await putRaw(await sign(ingest.url, grant), "hello")).status).toBe(200)
    await app.until(1)
    expect(await remove(ingest.url, { fileKeys: [grant.key] })).toBe(1)
    await eventually(async () => (await ingest.catalog.get(grant.key)) === null)
    const { length } = app.received
    await new Promise((resolve) => setTimeout(resolve, 300))
    expect(app.received.length).toBe(length)
    expect(await ingest.catalog.countDeliveries(9)).toEqual({ pending: 0, dead: 0 })

    const silent = await startApp(() => new Promise<Response>(() => {}))
    const waited = createGrant({ slug: "avatar" })
    await register(ingest.url, { fileKeys: [waited.key], callbackUrl: silent.url })
    const answered = putRaw(await sign(ingest.url, waited), "hello")
    await silent.until(1)
    expect(await remove(ingest.url, { fileKeys: [waited.key] })).toBe(1)
    expect(await codeOf(await answered)).toBe("404 NOT_FOUND")
  })

  it("ends a development stream that only waited for the deleted file", async () => {
    const ingest = await startOnDisk()
    const grant = createGrant({ slug: "avatar" })
    const stream = await register(ingest.url, { fileKeys: [grant.key], isDev: true })
    const ended = stream.text()
    await putRaw(await sign(ingest.url, grant), "hel")
    expect(await remove(ingest.url, { fileKeys: [grant.key] })).toBe(1)
    expect((await ended).trim()).toBe("")
  })

  it("takes a thousand files in one call", async () => {
    const ingest = await startIngest()
    const grants = Array.from({ length: 1000 }, () => createGrant())
    const commit = { origin: ingest.url, bytes: new Uint8Array(5), fileHash: "", now: 1, claimedUntil: null }
    await Promise.all(
      grants.map((grant, index) => ingest.catalog.commitWhole({ ...commit, grant, eventId: `evt_${index}` })),
    )
    expect(await remove(ingest.url, { fileKeys: grants.map(({ key }) => key) })).toBe(1000)
    await eventually(async () => (await ingest.catalog.list({ limit: 1 })).length === 0)
  })
})

describe("housekeeping", () => {
  it("sweeps again for what was deleted while it swept, and never twice at once", async () => {
    const memory = createMemoryBlobStore()
    const catalog = createMemoryCatalog({ largestContent: 0 })
    const isRemoving = Promise.withResolvers<void>()
    const mayRemove = Promise.withResolvers<void>()
    let isSweeping = false
    let sweepsAtOnce = 0
    const ingest = await startIngest({
      store: {
        ...memory,
        remove: async (name) => {
          isRemoving.resolve()
          await mayRemove.promise
          await memory.remove(name)
        },
      },
      catalog: {
        ...catalog,
        expire: async (expire) => {
          if (isSweeping) sweepsAtOnce++
          isSweeping = true
          return catalog.expire(expire)
        },
        prune: async (prune) => {
          isSweeping = false
          return catalog.prune(prune)
        },
      },
    })
    const [first, second, third] = [await store(ingest), await store(ingest), await store(ingest)]
    await remove(ingest.url, { fileKeys: [first] })
    await isRemoving.promise
    // This sweep has its list of files already.
    await remove(ingest.url, { fileKeys: [second] })
    await remove(ingest.url, { fileKeys: [third] })
    mayRemove.resolve()
    await eventually(async () => (await catalog.list({ limit: 9 })).length === 0)
    expect(sweepsAtOnce).toBe(0)
  })
})
