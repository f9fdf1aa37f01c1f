import { createHash } from "node:crypto"
import { readdir, rm, truncate, writeFile } from "node:fs/promises"
import { join } from "node:path"
import { describe, expect, it } from "vitest"
import {
  type BlobStore,
  createDiskBlobStore,
  createMemoryBlobStore,
  createMemoryCatalog,
  verifyFile,
} from "../../../src/ingest.ts"
import { randomContent } from "../circle.ts"
import { makeFolder } from "../../make-folder.ts"

async function* once(bytes: Uint8Array) {
  if (bytes.length > 0) yield bytes
}

const storeFile = async (store: BlobStore, content: Uint8Array) => {
  const file = {
    id: 1,
    key: "key",
    size: content.length,
    fileHash: createHash("sha256").update(content).digest("hex"),
    isInline: false,
    blobRef: null,
  }
  await store.append("key.1", { epoch: 1, offset: 0, size: content.length, body: once(content) })
  await store.finish("key.1", { epoch: 1, size: content.length })
  return file
}

const catalog = createMemoryCatalog()

const openDisk = async () => {
  const folder = await makeFolder()
  const onlyFile = async () => {
    const entries = await readdir(folder, { recursive: true, withFileTypes: true })
    const found = entries.filter((entry) => entry.isFile())
    expect(found).toHaveLength(1)
    return join(found[0]!.parentPath, found[0]!.name)
  }
  return { store: createDiskBlobStore({ folder }), onlyFile }
}

describe("verifying a stored file", () => {
  it.each([0, 1, 300_000, 3_000_000])("finds one of %d bytes intact, and tells of every byte it read", async (size) => {
    for (const store of [(await openDisk()).store, createMemoryBlobStore()]) {
      const file = await storeFile(store, randomContent(size))
      let read = 0
      expect(await verifyFile({ store, catalog }, file, (bytes) => (read += bytes))).toEqual({ kind: "intact" })
      expect(read).toBe(size)
    }
  })

  it("finds other bytes of the same number", async () => {
    const { store, onlyFile } = await openDisk()
    const file = await storeFile(store, randomContent(1000))
    const other = randomContent(1000)
    await writeFile(await onlyFile(), other)
    expect(await verifyFile({ store, catalog }, file)).toEqual({
      kind: "changed",
      found: createHash("sha256").update(other).digest("hex"),
    })
  })

  it.each([
    ["shorter", 999],
    ["shorter", 0],
    ["longer", 1001],
  ])("finds one that became %s: %d bytes", async (kind, size) => {
    const { store, onlyFile } = await openDisk()
    const file = await storeFile(store, randomContent(1000))
    await truncate(await onlyFile(), size)
    expect(await verifyFile({ store, catalog }, file)).toEqual({ kind })
  })

  it("finds one that is gone, an empty one too", async () => {
    for (const size of [1000, 0]) {
      const { store, onlyFile } = await openDisk()
      const file = await storeFile(store, randomContent(size))
      await rm(await onlyFile())
      expect(await verifyFile({ store, catalog }, file)).toEqual({ kind: "missing" })
    }
  })

  it("reads a small file where the catalog keeps it", async () => {
    const content = new TextEncoder().encode("hello")
    const fileHash = createHash("sha256").update(content).digest("hex")
    const commit = (key: string, bytes: Uint8Array) =>
      catalog.commitWhole({
        grant: { key, appId: "app", expires: 10_000, name: "a", size: 5, type: "text/plain" },
        origin: "http://ingest.example",
        bytes,
        fileHash,
        now: 1000,
        eventId: "evt_1",
        claimedUntil: null,
      })
    await commit("intact", content)
    await commit(
      "changed",
      content.map((byte) => byte + 1),
    )
    await commit("shorter", content.subarray(1))
    for (const kind of ["intact", "changed", "shorter"]) {
      const { file } = (await catalog.get(kind))!
      expect(file.isInline).toBe(true)
      expect(await verifyFile({ store: createMemoryBlobStore(), catalog }, file)).toMatchObject({ kind })
    }
    const { file } = (await catalog.get("intact"))!
    expect(await verifyFile({ store: createMemoryBlobStore(), catalog }, { ...file, id: 999 })).toEqual({
      kind: "missing",
    })
  })

  it("compares sizes alone where no hash was taken", async () => {
    const { store } = await openDisk()
    const file = await storeFile(store, randomContent(1000))
    expect(await verifyFile({ store, catalog }, { ...file, fileHash: "" })).toEqual({ kind: "intact" })
  })
})
