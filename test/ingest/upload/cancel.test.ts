import { readdir } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { SluiceApi } from "../../../src/api.ts"
import { createDiskBlobStore, createMemoryBlobStore, createSqliteCatalog } from "../../../src/ingest.ts"
import {
  answerWith,
  catalogs,
  createGrant,
  eventually,
  hasByte,
  offsetOf,
  putRaw,
  register,
  sign,
  startApp,
  startIngest,
  token,
} from "../circle.ts"
import type { UploadGrant } from "../../../src/protocol.ts"
import { captureConsole } from "../capture-console.ts"
import { labelled } from "../labelled.ts"
import { makeFolder } from "../../make-folder.ts"
import { startHalf } from "./start-half.ts"

const cancel = (url: string): Promise<Response> => fetch(url, { method: "DELETE" })

const codeOf = async (answer: Response): Promise<string> =>
  `${answer.status} ${((await answer.json()) as { code: string }).code}`

const size = 300_000

describe.each(catalogs)("DELETE of a signed URL (%s)", (_, create) => {
  const start = (options: Parameters<typeof startIngest>[0] = {}) => startIngest({ catalog: create(), ...options })

  it("ends an upload under way: its writer stops, its app is told, no byte is left, and its room is free", async () => {
    const ingest = await start()
    const app = await startApp(answerWith(null))
    const api = new SluiceApi({ token, ingestUrl: ingest.url })
    const grant = await labelled({ owner: "user-7", path: "a/b", ownerQuota: size + 5 }, { slug: "files", size })
    await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url })
    const signed = await sign(ingest.url, grant)
    const half = await startHalf(signed, size / 2)
    await eventually(() => hasByte(ingest, grant.key, 100_000))
    expect(await api.getUsageInfo({ owner: "user-7" })).toMatchObject({ totalBytes: 0, announcedBytes: size })
    const answer = await cancel(signed)
    expect([answer.status, answer.headers.get("access-control-allow-origin"), await answer.text()]).toEqual([
      204,
      "*",
      "",
    ])
    expect([410, undefined]).toContain(await half.ended)
    await eventually(() => app.received.length === 1)
    expect(JSON.parse(app.received[0]!.body)).toMatchObject({
      status: "failed",
      fileKey: grant.key,
      file: { key: grant.key, name: grant.name, size, type: grant.type, customId: null },
      labels: { owner: "user-7", path: "a/b" },
      error: { code: "ABORTED", message: "The upload was cancelled. Do not send it again." },
    })
    expect(await api.getUsageInfo({ owner: "user-7" })).toMatchObject({ totalBytes: 0, announcedBytes: 0 })
    expect(await api.getFiles(grant.key)).toMatchObject([
      { key: grant.key, status: "Failed", error: { code: "ABORTED", at: expect.any(Number) } },
    ])
    await eventually(async () => !(await hasByte(ingest, grant.key, 0)))
    const another = await labelled({ owner: "user-7", ownerQuota: size + 5 }, { size })
    expect((await putRaw(await sign(ingest.url, another), "x".repeat(size))).status).toBe(200)
  })

  it("is final: the URL, and a renewed one, take no byte any more; twice is no error", async () => {
    const { url } = await start()
    const grant = createGrant({ size, registrationId: "reg_1" })
    const signed = await sign(url, grant)
    expect((await putRaw(signed, "x".repeat(1000))).status).toBe(409)
    for (const again of [signed, signed]) expect((await cancel(again)).status).toBe(204)
    const renewed = await sign(url, { ...grant, expires: grant.expires + 1000 })
    for (const used of [signed, renewed]) {
      expect(await codeOf(await putRaw(used, "x", 1000))).toBe("410 ABORTED")
    }
  })

  it("leaves a file that has arrived, and remembers nothing of one that has not begun", async () => {
    const { url } = await start()
    const stored = await sign(url, createGrant())
    const { url: address } = await (await putRaw(stored, "hello")).json()
    const late = await cancel(stored)
    expect([late.status, late.headers.get("x-sluice-range-start")]).toEqual([204, "5"])
    expect(await (await fetch(address)).text()).toBe("hello")
    const fresh = await sign(url, createGrant())
    const early = await cancel(fresh)
    expect([early.status, early.headers.get("x-sluice-range-start")]).toEqual([204, null])
    expect(await offsetOf(fresh)).toBe(0)
    expect((await putRaw(fresh, "hello")).status).toBe(200)
  })

  it("takes a URL that has expired, and none that was changed or is not signed", async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    onTestFinished(() => void vi.useRealTimers())
    const ingest = await start()
    const grant = createGrant({ size, expires: Date.now() + 60_000 })
    const signed = await sign(ingest.url, grant)
    await putRaw(signed, "x".repeat(1000))
    vi.setSystemTime(Date.now() + 120_000)
    for (const wrong of [signed.replace("hello.txt", "b.txt"), `${ingest.url}/${grant.key}`]) {
      expect((await cancel(wrong)).status).toBeGreaterThanOrEqual(400)
    }
    expect((await ingest.catalog.get(grant.key))?.file.status).toBe("Uploading")
    expect((await cancel(signed)).status).toBe(204)
    expect((await ingest.catalog.get(grant.key))?.file).toMatchObject({ status: "Failed" })
  })

  it("does not end the upload of another file under the same key", async () => {
    const ingest = await start()
    const grant = createGrant({ size, issuedAt: Date.now() - 2000 })
    const signed = await sign(ingest.url, grant)
    const other = { ...grant, name: "other.txt", issuedAt: Date.now() - 1000 }
    expect((await putRaw(await sign(ingest.url, other), "x".repeat(1000))).status).toBe(409)
    expect(await codeOf(await cancel(signed))).toBe("409 BAD_REQUEST")
    expect((await ingest.catalog.get(grant.key))?.file).toMatchObject({ status: "Uploading", name: "other.txt" })
  })

  it("ends a small file under way, of which nothing is kept yet, whatever comes of its connection", async () => {
    const ingest = await start()
    const app = await startApp(answerWith(null))
    const keys: Array<string> = []
    for (const bytes of [1000, 15_000, 60_000]) {
      for (const isEnded of [false, true]) {
        const grant = createGrant({ size: bytes })
        keys.push(grant.key)
        await register(ingest.url, { fileKeys: [grant.key], callbackUrl: app.url })
        const signed = await sign(ingest.url, grant)
        const part = await startHalf(signed, bytes - 10, bytes)
        expect((await cancel(signed)).status).toBe(204)
        if (isEnded) part.end(10)
        else part.leave()
        expect([410, undefined]).toContain(await part.ended)
        expect((await ingest.catalog.get(grant.key))?.file).toMatchObject({
          status: "Failed",
          failure: { code: "ABORTED" },
        })
      }
    }
    expect(await ingest.catalog.usage(createGrant().appId)).toMatchObject({ announcedBytes: 0, files: 0 })
    await eventually(() => app.received.length === keys.length)
    const told = app.received.map(({ body }) => JSON.parse(body))
    expect(new Set(told.map(({ fileKey }) => fileKey))).toEqual(new Set(keys))
    for (const { error } of told) expect(error).toMatchObject({ code: "ABORTED" })
  })

  it.each<[string, Partial<UploadGrant>]>([
    ["of another file", { name: "other.txt" }],
    ["of another registration", { registrationId: "reg_1" }],
    ["of before", { expires: Date.now() + 1000 }],
  ])("does not end a small file under way by a URL %s under its key", async (_, changed) => {
    const ingest = await start()
    const grant = createGrant({ size: 1000 })
    const part = await startHalf(await sign(ingest.url, grant), 900, 1000)
    expect((await cancel(await sign(ingest.url, { ...grant, ...changed }))).status).toBe(204)
    part.end(100)
    expect(await part.ended).toBe(200)
  })

  it("ends the writer at another ingest with the same catalog and store", async () => {
    const catalog = create()
    const store = createMemoryBlobStore()
    const [one, two] = [await startIngest({ catalog, store }), await startIngest({ catalog, store })]
    for (const rest of [1, 2, 3, 4, 5, 6, 7, 8]) {
      const grant = createGrant({ size })
      const half = await startHalf(await sign(one.url, grant), size / 2)
      await eventually(() => hasByte(one, grant.key, 100_000))
      expect((await cancel(await sign(two.url, grant))).status).toBe(204)
      half.end(rest === 8 ? size / 2 : rest)
      expect([410, undefined]).toContain(await half.ended)
    }
  })

  it("by an older URL does not end the newer upload that takes the key meanwhile", async () => {
    const catalog = create()
    let meanwhile: (() => Promise<unknown>) | undefined
    const raced = {
      ...catalog,
      get: async (key: string) => {
        const found = await catalog.get(key)
        const act = meanwhile
        meanwhile = undefined
        await act?.()
        return found
      },
    }
    const ingest = await startIngest({ catalog: raced })
    const now = Date.now()
    const old = createGrant({ size, registrationId: "reg_1", issuedAt: now - 2000 })
    const signed = await sign(ingest.url, old)
    await putRaw(signed, "x".repeat(1000))
    const newer = await sign(ingest.url, { ...old, registrationId: "reg_2", issuedAt: now - 1000 })
    const writers = Promise.withResolvers<{ readonly ended: Promise<number | undefined> }>()
    meanwhile = async () => {
      const half = await startHalf(newer, size / 2)
      await eventually(async () => (await catalog.get(old.key))?.file.registrationId === "reg_2")
      writers.resolve(half)
    }
    expect(await codeOf(await cancel(signed))).toBe("409 BAD_REQUEST")
    await writers.promise
    expect((await catalog.get(old.key))?.file).toMatchObject({ registrationId: "reg_2", status: "Uploading" })
  })

  it("by an expired URL without a registration does not end the upload that a later one has begun", async () => {
    const ingest = await start()
    const early = createGrant({ size, expires: Date.now() + 60_000 })
    const later = { ...early, expires: early.expires + 60_000 }
    const [first, second] = [await sign(ingest.url, early), await sign(ingest.url, later)]
    await putRaw(first, "x".repeat(1000))
    expect((await cancel(first)).status).toBe(204)
    expect((await putRaw(second, "x".repeat(1000))).status).toBe(409)
    expect(await codeOf(await cancel(first))).toBe("409 BAD_REQUEST")
    expect((await ingest.catalog.get(early.key))?.file.status).toBe("Uploading")
    expect((await cancel(second)).status).toBe(204)
  })

  it("against the last bytes: either the file is there, or the upload was cancelled", async () => {
    const ingest = await start()
    for (let round = 0; round < 30; round++) {
      const grant = createGrant({ size })
      const signed = await sign(ingest.url, grant)
      await putRaw(signed, "x".repeat(1000))
      const ended = putRaw(signed, "x".repeat(size - 1000), 1000)
      for (let wait = 0; wait < round; wait++) await new Promise(setImmediate)
      const cancelled = await cancel(signed)
      const put = await ended.catch(() => undefined)
      const { status } = (await ingest.catalog.get(grant.key))!.file
      expect(["Uploaded", "Failed"]).toContain(status)
      expect(cancelled.status).toBe(204)
      expect(cancelled.headers.has("x-sluice-range-start")).toBe(status === "Uploaded")
      if (put?.status === 200) expect(status).toBe("Uploaded")
      if (status === "Failed") expect([410, 423, undefined]).toContain(put?.status)
    }
    expect(await ingest.catalog.usage(createGrant().appId)).toMatchObject({ announcedBytes: 0 })
  })
})

it("over a disk: a PUT that resumes is told the same, whatever it finds of its bytes", async () => {
  const folder = await makeFolder()
  const logged = captureConsole()
  const ingest = await startIngest({
    store: createDiskBlobStore({ folder: join(folder, "blobs") }),
    catalog: createSqliteCatalog({ file: join(folder, "catalog.sqlite") }),
    logLevel: "Error",
  })
  for (let round = 0; round < 40; round++) {
    const signed = await sign(ingest.url, createGrant({ size }))
    await putRaw(signed, "x".repeat(1000))
    const resumed = putRaw(signed, "x".repeat(size - 1000), 1000)
    for (let wait = 0; wait < round % 8; wait++) await new Promise(setImmediate)
    await cancel(signed)
    expect([200, 410, 423, undefined]).toContain((await resumed.catch(() => undefined))?.status)
  }
  expect(logged).toEqual([])
})

it("over a disk: nothing is left in the folder of the blobs", async () => {
  const folder = await makeFolder()
  const store = createDiskBlobStore({ folder: join(folder, "blobs") })
  const ingest = await startIngest({ store, catalog: createSqliteCatalog({ file: join(folder, "catalog.sqlite") }) })
  const grant = createGrant({ size: 9_000_000 })
  const signed = await sign(ingest.url, grant)
  await startHalf(signed, 4_000_000)
  await eventually(() => hasByte(ingest, grant.key, 1_000_000))
  const countFiles = async () => {
    const entries = await readdir(join(folder, "blobs"), { recursive: true, withFileTypes: true })
    return entries.filter((entry) => entry.isFile()).length
  }
  const before = await countFiles()
  expect((await cancel(signed)).status).toBe(204)
  await eventually(async () => (await countFiles()) < before)
  expect(await hasByte(ingest, grant.key, 0)).toBe(false)
})
