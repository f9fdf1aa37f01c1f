import { createHash } from "node:crypto"
import { rm, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { expect, it, onTestFinished, vi } from "vitest"
import {
  BlobStoreError,
  CatalogError,
  createDiskBlobStore,
  createMemoryBlobStore,
  createMemoryCatalog,
  createSqliteCatalog,
} from "../../../src/ingest.ts"
import { createGrant, offsetOf, putRaw, randomContent, sign, startIngest } from "../circle.ts"
import { makeFolder } from "../../make-folder.ts"
import { mountTmpfs } from "../../mount-tmpfs.ts"
import { createPacedBody } from "../upload/paced-body.ts"

const problemOf = async (response: Response): Promise<string> => `${response.status} ${(await response.json()).code}`
const unavailable = "503 INGEST_UNAVAILABLE"

it("refuses new bytes that would eat into the reserve, and only those", async () => {
  let free = 10_000
  const store = { ...createMemoryBlobStore(), free: async () => free }
  const { url } = await startIngest({ store, minimumFree: 9_000 })
  const small = await sign(url, createGrant())
  expect((await putRaw(small, "hello")).status).toBe(200)
  const large = await sign(url, createGrant({ size: 2000 }))
  const refused = await putRaw(large, new Uint8Array(2000))
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0)
  expect(await problemOf(refused)).toBe(unavailable)
  expect((await fetch(large, { method: "HEAD" })).status).toBe(503)
  expect((await putRaw(small, "hello")).status).toBe(200)
  free = 50_000
  await expect.poll(async () => (await putRaw(large, new Uint8Array(2000))).status, { timeout: 5000 }).toBe(200)
})

it("stops a running upload at the reserve and keeps what has arrived", async () => {
  const store = { ...createMemoryBlobStore(), free: async () => 400_000 }
  const { url } = await startIngest({ store, minimumFree: 100_000 })
  const signed = await sign(url, createGrant({ size: 1_000_000 }))
  expect(await problemOf(await putRaw(signed, new Uint8Array(1_000_000)))).toBe(unavailable)
  const offset = await offsetOf(signed)
  expect(offset).toBeGreaterThan(0)
  expect(offset).toBeLessThanOrEqual(300_000)
})

it("holds nothing in reserve on a store that cannot tell, or does not answer", async () => {
  const memory = await startIngest({ minimumFree: Number.MAX_SAFE_INTEGER })
  expect((await putRaw(await sign(memory.url, createGrant()), "hello")).status).toBe(200)
  const store = { ...createMemoryBlobStore(), free: () => Promise.reject(new BlobStoreError("io", "No answer.")) }
  const broken = await startIngest({ store })
  expect((await putRaw(await sign(broken.url, createGrant()), "hello")).status).toBe(200)
})

it("tells the operator what to do, and clients only to come back", async () => {
  const lines: Array<string> = []
  for (const method of ["warn", "error"] as const) {
    vi.spyOn(console, method).mockImplementation((line) => void lines.push(line))
  }
  onTestFinished(() => void vi.restoreAllMocks())
  const catalog = {
    ...createMemoryCatalog({ largestContent: 0 }),
    begin: async () => {
      throw new CatalogError("full", "Free space on the disk of /data/catalog.sqlite.")
    },
  }
  const { url } = await startIngest({ catalog, logLevel: "Warning" })
  const response = await putRaw(await sign(url, createGrant()), "hello")
  const text = await response.text()
  expect(response.status).toBe(503)
  expect(text).not.toContain("/data")
  expect(lines.join("\n")).toContain("Free space on the disk of /data/catalog.sqlite.")
})

it("survives a disk that is really full: clear answers, nothing stored is lost, all goes on when there is room", async (test) => {
  const disk = await makeFolder()
  mountTmpfs(test, disk, "size=12m")
  const store = createDiskBlobStore({ folder: join(disk, "files") })
  const catalog = createSqliteCatalog({ file: join(disk, "catalog.sqlite") })
  const { url } = await startIngest({ store, catalog, minimumFree: 0 })

  const [stored, running, large] = [createGrant(), createGrant({ size: 100_000 }), createGrant({ size: 6_000_000 })]
  expect((await putRaw(await sign(url, stored), "hello")).status).toBe(200)
  const slow = createPacedBody("x".repeat(90_000))
  const other = putRaw(await sign(url, running), slow.body)
  await expect.poll(async () => (await catalog.get(running.key)) !== null).toBe(true)

  const filler = join(disk, "filler")
  await writeFile(filler, new Uint8Array(7_000_000))
  const content = randomContent(large.size)
  const signed = await sign(url, large)
  expect(await problemOf(await putRaw(signed, content))).toBe(unavailable)
  await writeFile(join(disk, "rest"), new Uint8Array(12_000_000)).catch(() => {})

  // The catalog has no room either, sooner or later: its log has some space of its own.
  const answers = new Set<string>()
  for (let i = 0; i < 300 && !answers.has(unavailable); i++) {
    answers.add(await problemOf(await putRaw(await sign(url, createGrant({ name: "n".repeat(1000) })), "hello")))
  }
  expect([...answers].filter((answer) => answer !== "200 undefined")).toEqual([unavailable])
  expect(await (await fetch(`${url}/f/${stored.key}`)).text()).toBe("hello")

  await rm(filler)
  await rm(join(disk, "rest"))
  slow.end("x".repeat(10_000))
  expect((await other).status).toBe(200)
  const offset = await offsetOf(signed)
  expect(offset).toBeGreaterThan(0)
  const answer = await putRaw(signed, content.subarray(offset), offset)
  expect(await answer.json()).toMatchObject({ fileHash: createHash("sha256").update(content).digest("hex") })
})

it("tells of a disk that may not be written, and of one that failed", async () => {
  for (const reason of ["io", "full"] as const) {
    const store = createMemoryBlobStore()
    const { url } = await startIngest({
      catalog: createMemoryCatalog({ largestContent: 0 }),
      store: { ...store, append: () => Promise.reject(new BlobStoreError(reason, "It did not work.")) },
    })
    expect(await problemOf(await putRaw(await sign(url, createGrant()), "hello"))).toBe(unavailable)
  }
})
