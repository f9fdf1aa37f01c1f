import { randomBytes } from "node:crypto"
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from "vitest"
import type { BlobStore } from "../../../../src/ingest/storage/blob-store.ts"
import { createCarriedHasher } from "../../../../src/ingest/storage/s3/hash/carried-hasher.ts"
import { breakingAfter, chunksOf, expectStored, reasonOf, sha256 } from "./drive-store.ts"
import { type OpenStores, openStores } from "./open-stores.ts"

const mebibyte = 1024 * 1024
const partSize = 8 * mebibyte

let stores: OpenStores

beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

/** A store to which files of more than 1 MiB are large. */
const open = (readAgainAtMost = mebibyte): BlobStore => stores.open({ readAgainAtMost })

/** Names of what was read of the bucket, but for tails: those are read to be sent as a part. */
const listRead = () =>
  stores.double.requests
    .filter(({ operation, key }) => operation === "GetObject" && !key.includes("/t"))
    .map(({ key }) => key)

/** What comes between two offsets, each by a process of its own. */
const appendBy = async (store: BlobStore, epoch: number, content: Uint8Array, end: number) => {
  const size = content.length
  const { size: offset } = epoch === 1 ? { size: 0 } : await store.claim("key.1", epoch)
  const bytes = content.subarray(offset, end)
  const body = end < size ? breakingAfter(bytes) : chunksOf(bytes)
  await store.append("key.1", { epoch, offset, size, body, isHashed: true })
  return offset
}

describe("the SHA-256 of a large file", () => {
  it.each([
    ["at the end of a part", [partSize, 2 * partSize]],
    ["within parts", [partSize + 3_000_000, 2 * partSize + 5]],
    ["before the first part is full", [5, partSize + 1]],
  ])("is carried from process to process, and the file is not read again: %s", async (_, cuts) => {
    const content = randomBytes(3 * partSize + 1000)
    for (const [index, end] of [...cuts, content.length].entries()) {
      expect(await appendBy(open(), index + 1, content, end)).toBe([0, ...cuts][index])
    }
    const last = open()
    await last.claim("key.1", 4)
    const finished = await last.finish("key.1", { epoch: 4, size: content.length, isHashed: true })
    expect(finished.digest).toBe(sha256(content))
    expect(listRead()).toEqual([])
    await expectStored(last, finished, content)
  })

  it("is read again where the file is no larger than that", async () => {
    const content = randomBytes(2 * partSize)
    await appendBy(open(content.length), 1, content, partSize)
    const last = open(content.length)
    await appendBy(last, 2, content, content.length)
    const { digest } = await last.finish("key.1", { epoch: 2, size: content.length, isHashed: true })
    expect(digest).toBe(sha256(content))
    expect(new Set(listRead())).toEqual(new Set(["key.1/1"]))
  })

  it("is read again where what was kept is no state of a hash", async () => {
    const content = randomBytes(3 * partSize)
    await appendBy(open(), 1, content, partSize)
    const journal = stores.openJournal()
    await journal.write("key.1", 1, { hash: new Uint8Array(116).fill(7) })
    await journal.close()
    const last = open()
    await appendBy(last, 2, content, content.length)
    const { digest } = await last.finish("key.1", { epoch: 2, size: content.length, isHashed: true })
    expect(digest).toBe(sha256(content))
    expect(listRead()).not.toEqual([])
  })

  it("is that of what is stored where parts fail, come out of order, and are sent again", async () => {
    const content = randomBytes(4 * partSize)
    const store = open()
    stores.double.onRequest(({ operation, partNumber }) =>
      operation === "UploadPart" && partNumber === 2 ? { kind: "answer", status: 500 } : undefined,
    )
    expect(await reasonOf(appendBy(store, 1, content, content.length))).toBe("io")
    stores.double.onRequest()
    const next = open()
    expect(await appendBy(next, 2, content, content.length)).toBe(partSize)
    const { digest } = await next.finish("key.1", { epoch: 2, size: content.length, isHashed: true })
    expect(digest).toBe(sha256(content))
    expect(listRead()).toEqual([])
  })

  it("is not carried past parts that the bucket has replaced", async () => {
    const content = randomBytes(3 * partSize)
    const store = open()
    await appendBy(store, 1, content, content.length)
    const [upload] = stores.double.uploads.values()
    upload!.parts.set(2, { bytes: Buffer.alloc(partSize, 7), etag: '"0123456789abcdef0123456789abcdef"' })
    expect(await reasonOf(store.finish("key.1", { epoch: 1, size: content.length, isHashed: true }))).toBe("offset")
    expect(await appendBy(store, 2, content, content.length)).toBe(partSize)
    const { digest } = await store.finish("key.1", { epoch: 2, size: content.length, isHashed: true })
    expect(digest).toBe(sha256(content))
  })
})

describe("a hasher whose state is carried", () => {
  const openHasher = (load?: Parameters<typeof createCarriedHasher>[0]) => {
    const hasher = createCarriedHasher(load)
    onTestFinished(() => hasher.close())
    return hasher
  }

  it.each([
    [
      "in threads",
      async () => {
        const { moduleUrl } = await import("../../../../src/ingest/storage/s3/hash/sha256-wasm.ts")
        return { moduleUrl, createSHA256: () => Promise.reject(new Error("not in this thread")) }
      },
    ],
    [
      "in this one, where there are none",
      async () => {
        const { createSHA256 } = await import("hash-wasm")
        return { createSHA256, moduleUrl: "file:///nowhere/moved.js" }
      },
    ],
  ])("goes on with what another has begun: %s", async (_, load) => {
    const contents = Array.from({ length: 9 }, () => randomBytes(100_001))
    const [one, other] = [openHasher(load), openHasher(load)]
    await Promise.all(
      contents.map(async (content) => {
        const { state } = await one.add(null, [content.subarray(0, 1000), content.subarray(1000, 70_000)])
        expect(state.length).toBe(116)
        expect((await other.add(state, [content.subarray(70_000)])).digest).toBe(sha256(content))
      }),
    )
    expect((await one.add(null, [])).digest).toBe(sha256(new Uint8Array()))
  })

  it("refuses a state that is none", async () => {
    await expect(openHasher().add(new Uint8Array(116), [])).rejects.toThrow()
  })
})
