import { describe, expect, it } from "vitest"
import {
  type BlobStore,
  type Catalog,
  type IngestOptions,
  createMemoryBlobStore,
  createMemoryCatalog,
} from "../../../src/ingest.ts"
import { createGrant, postResult, putRaw, register, sign, startApp, startIngest } from "../circle.ts"
import type { UploadGrant } from "../../../src/protocol.ts"
import { labelled } from "../labelled.ts"
import { answerOf, call, codeOf } from "../rest/rest-app.ts"

const mebibyte = 1024 * 1024
const unavailable = "503 INGEST_UNAVAILABLE"

/** An ingest with a disk that can be filled: that of the files, or that of the catalog, whose files are elsewhere. */
const startOnDisk = async (place: "store" | "catalog", options: Partial<IngestOptions> = {}) => {
  const disk = { free: 100 * mebibyte }
  const known = { free: async () => disk.free }
  const parts: Array<Record<string, unknown>> = []
  const grantParts: BlobStore["grantParts"] = async (_key, asked) => {
    parts.push(asked)
    return { kind: "granted", partSize: 8 * mebibyte, stored: [], uploads: [] }
  }
  const store: BlobStore = { ...createMemoryBlobStore(), grantParts, ...(place === "store" && known) }
  const catalog: Catalog = { ...createMemoryCatalog(), ...(place === "catalog" && known) }
  const ingest = await startIngest({ store, catalog, minimumFree: 64 * mebibyte, ...options })
  const fill = async (free = 64 * mebibyte): Promise<void> => {
    disk.free = free
    // The disk is asked once a second.
    await expect.poll(async () => (await fetch(`${ingest.url}/ready`)).status, { timeout: 5000 }).toBe(503)
  }
  const countRows = async (): Promise<number> => (await catalog.list({ limit: 1000 })).length
  const put = async (given: Parameters<typeof createGrant>[0] = {}) => {
    const grant = createGrant(given)
    const signed = await sign(ingest.url, grant)
    return { grant, signed, answer: await putRaw(signed, new Uint8Array(grant.size)) }
  }
  return { ...ingest, catalog, fill, countRows, put, parts }
}

const binary = "application/octet-stream"

describe.each(["store", "catalog"] as const)("below the reserve of the disk of the %s", (place) => {
  it("nothing begins, and nothing of what is refused is kept", async () => {
    const { url, catalog, fill, put, countRows, parts } = await startOnDisk(place)
    const stored = (await put({ type: binary })).grant
    await fill()
    const usage = await catalog.usage("app-1")
    for (const size of [0, 5, 60_000, 100_000]) {
      const { signed, answer } = await put({ size, type: binary })
      expect(Number(answer.headers.get("retry-after"))).toBeGreaterThan(0)
      expect(await codeOf(answer)).toBe(unavailable)
      expect((await fetch(signed, { method: "HEAD" })).status).toBe(503)
    }
    const asked = await sign(url, createGrant({ size: mebibyte, type: binary, transport: "direct" }))
    expect(await codeOf(await fetch(asked, { method: "POST", body: '{"parts":[]}' }))).toBe(unavailable)
    expect(parts).toEqual([])
    const { key } = createGrant()
    expect(await codeOf(await register(url, { fileKeys: [key] }))).toBe(unavailable)
    const moved = await call(url, "moveFiles", { updates: [{ fileKey: stored.key, path: "a/b" }] })
    expect(await codeOf(moved)).toBe(unavailable)
    const renamed = await call(url, "renameFiles", { updates: [{ fileKey: stored.key, newName: "b" }] })
    expect(await codeOf(renamed)).toBe(unavailable)
    expect(await countRows()).toBe(1)
    expect(await catalog.usage("app-1")).toEqual(usage)
  })

  it("files of a while ago are answered, changed without growing, and deleted; what ends an upload is taken", async () => {
    const { url, fill, put, countRows } = await startOnDisk(place)
    const [kept, gone] = [(await put({ type: binary })).grant, (await put({ type: binary })).grant]
    const half = createGrant({ size: 200_000, type: binary })
    const signed = await sign(url, half)
    expect(await codeOf(await putRaw(signed, new Uint8Array(100_000)))).toBe("409 RANGE_MISMATCH")
    await fill()
    expect((await putRaw(await sign(url, kept), new Uint8Array(5))).status).toBe(200)
    expect((await call(url, "updateACL", { updates: [{ fileKey: kept.key, acl: "private" }] })).status).toBe(200)
    expect((await call(url, "claimFiles", { fileKeys: [kept.key] })).status).toBe(200)
    expect((await postResult(url, { fileKey: kept.key, callbackData: 7 })).status).toBe(200)
    expect((await call(url, "deleteFiles", { fileKeys: [gone.key] })).status).toBe(200)
    expect((await fetch(signed, { method: "DELETE" })).status).toBe(204)
    expect(await codeOf(await putRaw(signed, new Uint8Array(100_000), 100_000))).toBe("410 ABORTED")
    await expect.poll(countRows).toBe(2)
  })

  it("what was begun by another URL of its key goes on, and no other upload of that key begins", async () => {
    const { url, fill } = await startOnDisk(place)
    const half = createGrant({ size: 200_000, type: binary })
    const lost = { ...createGrant({ size: 200_000, type: binary }), expires: Date.now() + 60_000 }
    for (const grant of [half, lost]) await putRaw(await sign(url, grant), new Uint8Array(1000))
    expect((await fetch(await sign(url, lost), { method: "DELETE" })).status).toBe(204)
    await fill()
    const send = async (grant: UploadGrant, start = 0) =>
      codeOf(await putRaw(await sign(url, grant), new Uint8Array(1000), start))
    const now = Date.now()
    expect(await send({ ...half, name: "other.bin", issuedAt: now })).toBe(unavailable)
    expect(await send({ ...lost, expires: lost.expires + 1 })).toBe(unavailable)
    expect(await send(lost)).toBe("410 ABORTED")
    // A renewed URL is for the same upload; its bytes have to find room of their own.
    const renewed = await send({ ...half, expires: half.expires + 1 }, 1000)
    expect(renewed).toBe(place === "catalog" ? "409 RANGE_MISMATCH" : unavailable)
  })

  it("what an app could fill it with is refused: long results, keys without a file, deletions of nothing", async () => {
    const { url, fill, put, countRows, catalog } = await startOnDisk(place)
    const stored: Array<string> = []
    for (let i = 0; i < 4; i++) stored.push((await put({ type: binary })).grant.key)
    const [one, two, three, four] = stored
    await call(url, "moveFiles", { updates: [{ fileKey: four, path: "a/b" }] })
    const owned = await labelled({ owner: "user-7" })
    expect((await putRaw(await sign(url, owned), "hello")).status).toBe(200)
    await fill()
    const usage = await catalog.usage("app-1")
    const long = { callbackData: "x".repeat(64 * 1024) }
    expect(await codeOf(await postResult(url, { fileKey: one, ...long }))).toBe(unavailable)
    const unknown = Array.from({ length: 10 }, () => createGrant().key)
    const remove = (body: object) => call(url, "deleteFiles", body)
    expect(await codeOf(await remove({ fileKeys: unknown }))).toBe(unavailable)
    expect(await codeOf(await remove({ prefix: "nothing/" }))).toBe(unavailable)
    expect(await codeOf(await remove({ owner: "nobody" }))).toBe(unavailable)
    expect(await catalog.usage("app-1")).toEqual(usage)
    expect((await postResult(url, { fileKey: one, callbackData: null })).status).toBe(200)
    // What frees room is done, also beside what is not.
    expect(await codeOf(await remove({ fileKeys: [one, ...unknown] }))).toBe(unavailable)
    expect(await answerOf(await remove({ fileKeys: [two, two] }))).toMatchObject({ deletedKeys: [two] })
    expect(await answerOf(await remove({ fileKeys: unknown, owner: "nobody" }))).toMatchObject({ deletedCount: 0 })
    expect(await answerOf(await remove({ prefix: "a/" }))).toMatchObject({ deletedCount: 1 })
    expect(await answerOf(await remove({ owner: "user-7" }))).toMatchObject({ deletedCount: 1 })
    await expect.poll(countRows).toBe(1)
    expect((await catalog.get(three!))?.file.status).toBe("Uploaded")
  })

  it("results of up to 64 KiB are kept, until they have taken half of it where the catalog is", async () => {
    const { url, fill, put } = await startOnDisk(place)
    const { key } = (await put({ type: binary })).grant
    await fill()
    const usual = { fileKey: key, callbackData: "x".repeat(64 * 1024 - 2) }
    expect((await postResult(url, usual)).status).toBe(200)
    await fill(30 * mebibyte)
    for (const result of [usual, { fileKey: key, callbackData: "longer" }, { fileKey: key, error: "It has failed." }]) {
      // The store keeps none of them.
      if (place === "store") expect((await postResult(url, result)).status).toBe(200)
      else await expect.poll(async () => codeOf(await postResult(url, result)), { timeout: 5000 }).toBe(unavailable)
    }
    expect((await postResult(url, { fileKey: key, callbackData: null })).status).toBe(200)
  })

  it("callbacks go on, and what an app says at length is not kept", async () => {
    const { url, fill, catalog } = await startOnDisk(place, { callbackRetries: [1500, 20, 20] })
    const said = (word: string, status: number) => new Response(word.repeat(20), { status })
    const app = await startApp((_, count) =>
      count === 1 ? said("early ", 500) : count === 2 ? said("late! ", 500) : Response.json({ ok: true }),
    )
    const grant = createGrant()
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url, awaitServerData: false })
    expect((await putRaw(await sign(url, grant), "hello")).status).toBe(200)
    await app.until(1)
    await fill()
    await app.until(3)
    const { id } = app.received[0]!.event
    await expect.poll(async () => (await catalog.listAttempts(id)).length).toBe(3)
    const attempts = await catalog.listAttempts(id)
    expect(attempts.map(({ status, answer }) => [status, answer])).toEqual([
      [500, "early ".repeat(20)],
      [500, null],
      [200, '{"ok":true}'],
    ])
  })

  it("/ready names it", async () => {
    const { url, fill } = await startOnDisk(place)
    await fill()
    const checks = { catalog: "ok", store: "ok", [place]: "failing" }
    expect(await (await fetch(`${url}/ready`)).json()).toMatchObject({ data: { checks } })
  })
})

it("uploads that were let in end where only the catalog's disk has no more room than its reserve", async () => {
  const { url, fill } = await startOnDisk("catalog")
  const grant = createGrant({ size: 200_000, type: binary })
  const signed = await sign(url, grant)
  expect(await codeOf(await putRaw(signed, new Uint8Array(100_000)))).toBe("409 RANGE_MISMATCH")
  await fill()
  expect((await putRaw(signed, new Uint8Array(100_000), 100_000)).status).toBe(200)
})

it("what is begun between two looks at the disk counts, with what its URL and its registration say", async () => {
  const room = { left: 0 }
  /** What was there at the first look, and nothing at any later one. */
  const free = async (): Promise<number> => {
    const { left } = room
    room.left = 0
    return mebibyte + left
  }
  const start = async (left: number) => {
    room.left = left
    return startIngest({ catalog: { ...createMemoryCatalog(), free }, minimumFree: mebibyte })
  }
  const { url, catalog } = await start(20_000)
  const long = Array.from({ length: 30 }, () => createGrant({ size: 0, type: binary, name: "n".repeat(1000) }))
  const answers = await Promise.all(long.map(async (grant) => (await putRaw(await sign(url, grant), "")).status))
  expect(answers).toContain(200)
  const begun = (await catalog.list({ limit: 100 })).length
  expect(begun).toBe(answers.filter((status) => status === 200).length)
  expect(begun).toBeLessThan(15)

  const other = await start(100_000)
  const metadata = "m".repeat(60_000)
  expect((await register(other.url, { fileKeys: [createGrant().key], metadata })).status).toBe(200)
  expect((await register(other.url, { fileKeys: [createGrant().key], metadata })).status).toBe(503)
})
