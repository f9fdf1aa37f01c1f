import { readdir, rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it } from "vitest"
import {
  type BlobStore,
  createDiskBlobStore,
  createMemoryBlobStore,
  createMemoryCatalog,
  createSqliteCatalog,
} from "../../../src/ingest.ts"
import { captureConsole } from "../capture-console.ts"
import { createGrant, eventually, putRaw, sign, startIngest } from "../circle.ts"
import { makeFolder } from "../../make-folder.ts"

const read = async (url: string) => {
  const response = await fetch(url)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

const broken = (method: keyof BlobStore, calls: { count: number } = { count: 0 }): BlobStore => ({
  ...createMemoryBlobStore(),
  [method]: () => {
    calls.count++
    return Promise.reject(new Error("EIO /secret/path"))
  },
})

it("/health answers 200 as long as the process lives, whatever its storage does", async () => {
  const { url, close } = await startIngest({ store: broken("append") })
  expect(await read(`${url}/health`)).toMatchObject({ status: 200, body: { status: "ok" } })
  await close()
  expect(await read(`${url}/health`)).toMatchObject({ status: 200, body: { status: "ok" } })
})

it("/ready names its checks when uploads can be taken, and leaves nothing behind", async () => {
  const { url, store, catalog } = await startIngest({
    catalog: createSqliteCatalog({ file: ":memory:" }),
  })
  const { status, body, headers } = await read(`${url}/ready`)
  expect({ status, body }).toEqual({
    status: 200,
    body: { status: "ready", checks: { ingest: "ok", catalog: "ok", store: "ok" } },
  })
  expect(headers.get("cache-control")).toBe("no-store")
  expect(await catalog.listReclaimable(10)).toEqual([])
  expect(await catalog.get("readiness check")).toBeNull()
  expect(store.abilities).toBeDefined()
})

it("/ready is 503 when the store can take nothing, says so, and tells nothing else", async () => {
  const { url } = await startIngest({ store: broken("probe") })
  const { status, body, headers } = await read(`${url}/ready`)
  expect(status).toBe(503)
  expect(headers.get("content-type")).toBe("application/problem+json")
  expect(body).toMatchObject({
    code: "INGEST_UNAVAILABLE",
    detail: expect.stringContaining("the blob store"),
    data: { checks: { ingest: "ok", catalog: "ok", store: "failing" } },
  })
  expect(JSON.stringify(body)).not.toContain("secret")
})

it("/ready is 503 when the catalog cannot be written", async () => {
  const catalog = { ...createMemoryCatalog(), probe: () => Promise.reject(new Error("readonly database")) }
  const { url } = await startIngest({ catalog })
  const { status, body } = await read(`${url}/ready`)
  expect(status).toBe(503)
  expect(body).toMatchObject({
    detail: expect.stringMatching(/^The ingest cannot write to the catalog: .*the disk .* or whether the database/),
    data: { checks: { catalog: "failing", store: "ok" } },
  })
})

it("/ready is 503 when no more is free than the reserve, as uploads are, and says so in the log once", async () => {
  const said = captureConsole()
  const disk = { left: 2000 }
  const store: BlobStore = { ...createMemoryBlobStore(), free: async () => disk.left }
  const { url } = await startIngest({ store, minimumFree: 1000, logLevel: "Info" })
  expect((await read(`${url}/ready`)).status).toBe(200)
  disk.left = 1000
  await eventually(async () => (await fetch(`${url}/ready`)).status === 503)
  expect((await read(`${url}/ready`)).body).toMatchObject({
    detail: expect.stringContaining("--minimum-free"),
    data: { checks: { catalog: "ok", store: "failing" } },
  })
  const grant = createGrant({ size: 5 })
  expect((await putRaw(await sign(url, grant), "hello")).status).toBe(503)
  expect(said.filter((line) => line.includes("1000B are held in reserve"))).toHaveLength(1)
})

it("/ready is 503 when a real catalog and a real disk fail", async () => {
  const folder = await makeFolder()
  const blobs = join(folder, "blobs")
  const catalog = createSqliteCatalog({ file: join(folder, "catalog.sqlite") })
  const { url } = await startIngest({ store: createDiskBlobStore({ folder: blobs }), catalog })
  await catalog.close()
  await rm(blobs, { recursive: true, force: true })
  await writeFile(blobs, "a file where the folder should be")
  const { status, body } = await read(`${url}/ready`)
  expect(status).toBe(503)
  expect(body).toMatchObject({ data: { checks: { ingest: "ok", catalog: "failing", store: "failing" } } })
  expect(JSON.stringify(body)).not.toContain(folder)
})

it("/ready on disk leaves no file behind", async () => {
  const folder = await makeFolder()
  const { url } = await startIngest({ store: createDiskBlobStore({ folder }) })
  expect((await read(`${url}/ready`)).status).toBe(200)
  const left = await readdir(folder, { recursive: true, withFileTypes: true })
  expect(left.filter((entry) => entry.isFile())).toEqual([])
})

it("/ready does not wait for a store that never answers", async () => {
  const store: BlobStore = { ...createMemoryBlobStore(), probe: () => new Promise(() => {}) }
  const { url } = await startIngest({ store })
  expect(await read(`${url}/ready`)).toMatchObject({ status: 503, body: { data: { checks: { store: "failing" } } } })
})

it("/ready is 503 once the ingest stops, without touching what is closed", async () => {
  const calls = { count: 0 }
  const { url, close } = await startIngest({ store: broken("probe", calls) })
  await close()
  expect(await read(`${url}/ready`)).toMatchObject({
    status: 503,
    body: { data: { checks: { ingest: "stopping", catalog: "not checked", store: "not checked" } } },
  })
  expect(calls.count).toBe(0)
})

it("/ready asked a hundred times at once asks the storage once, and again later", async () => {
  const calls = { count: 0 }
  const { url } = await startIngest({ store: broken("probe", calls) })
  const start = performance.now()
  await Promise.all(Array.from({ length: 100 }, () => read(`${url}/ready`)))
  // A result is good for a second: where a busy machine takes longer for them, it is asked once in each.
  expect(calls.count).toBeLessThanOrEqual(1 + Math.floor((performance.now() - start) / 990))
  expect(calls.count).toBeGreaterThan(0)
  const before = calls.count
  await eventually(async () => {
    await read(`${url}/ready`)
    return calls.count > before
  })
})

it("pages of other origins cannot read what is for operators", async () => {
  const { url } = await startIngest({ metrics: "open" })
  for (const path of ["health", "ready", "metrics"]) {
    expect((await fetch(`${url}/${path}`)).headers.get("access-control-allow-origin")).toBeNull()
  }
  expect((await fetch(`${url}/f/none`)).headers.get("access-control-allow-origin")).toBe("*")
})
