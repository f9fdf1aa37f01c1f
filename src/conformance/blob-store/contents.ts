import type { BlobStore } from "../../ingest.ts"
import { it } from "../cases.ts"
import { expect } from "../expect.ts"
import {
  breakingAfter,
  bytes,
  chunksOf,
  expectBytes,
  readAll,
  readWhole,
  reasonOf,
  sha256,
  write,
} from "./drive-blob-store.ts"

/** What was written can be read, in part, digested and removed. */
export const testBlobContents = (store: () => BlobStore): void => {
  it("gives back what was appended", async () => {
    const content = bytes(3000)
    const body = chunksOf(content.subarray(0, 1000), content.subarray(1000, 1001), content.subarray(1001))
    expect(await store().append("key", { epoch: 1, offset: 0, size: 3000, body })).toEqual({ offset: 3000 })
    const finished = await store().finish("key", { epoch: 1, size: 3000 })
    expect((finished.ref ?? "").length).toBeLessThan(65)
    expectBytes(await readWhole(store(), "key", 3000, finished), content)
  })

  it("keeps a blob of no bytes", async () => {
    const nothing = { epoch: 1, offset: 0, size: 0, isHashed: true, body: chunksOf() }
    expect(await store().append("key", nothing)).toEqual({ offset: 0 })
    const { digest } = await store().finish("key", { epoch: 1, size: 0, isHashed: true })
    expect(digest).toBe(sha256(new Uint8Array()))
    expect(await store().claim("key", 2)).toEqual({ size: 0, isFinished: true })
  })

  it("reads any range, within a small blob and across the pieces of a large one", async () => {
    const small = bytes(1000)
    const { ref } = await write(store(), "small", small)
    const readSmall = async (start: number, end: number) => readAll(await store().read("small", { start, end, ref }))
    expectBytes(await readSmall(0, 0), small.subarray(0, 1))
    expectBytes(await readSmall(10, 999), small.subarray(10))
    const large = bytes(5 * 1024 * 1024 + 7)
    const finished = await write(store(), "large", large)
    const range = { start: 1, end: large.length - 2, ref: finished.ref }
    expectBytes(await readAll(await store().read("large", range)), large.subarray(1, -1))
  })

  it("can stop in the middle of reading", async () => {
    const { ref } = await write(store(), "large", bytes(3 * 1024 * 1024))
    const reader = (await store().read("large", { start: 0, end: 3 * 1024 * 1024 - 1, ref })).getReader()
    expect((await reader.read()).value?.length).toBeGreaterThan(0)
    await reader.cancel()
    await store().remove("large")
  })

  it("reads nothing of a blob that is there, and finds none that is not", async () => {
    const { ref } = await write(store(), "key", bytes(10))
    expectBytes(await readAll(await store().read("key", { start: 0, end: -1, ref })), new Uint8Array())
    expect(await reasonOf(store().read("unknown", { start: 0, end: -1, ref }))).toBe("missing")
  })

  it("says what is missing", async () => {
    const { ref } = await write(store(), "key", bytes(10))
    expect(await reasonOf(store().read("unknown", { start: 0, end: 0, ref }))).toBe("missing")
    expect(await reasonOf(store().read("unknown", { start: 0, end: 0 }))).toBe("missing")
    expect(await reasonOf(store().read("key", { start: 0, end: 10, ref }).then(readAll))).toBe("missing")
  })

  it("gives the digest of a blob, after an interruption, and again", async () => {
    const content = bytes(3_000_000)
    await store().append("key", {
      epoch: 1,
      offset: 0,
      size: content.length,
      isHashed: true,
      body: breakingAfter(content.subarray(0, 2_500_000)),
    })
    await store().claim("key", 2)
    await store().append("key", {
      epoch: 2,
      offset: 2_500_000,
      size: content.length,
      isHashed: true,
      body: chunksOf(content.subarray(2_500_000)),
    })
    const finish = { epoch: 2, size: 3_000_000, isHashed: true }
    expect((await store().finish("key", finish)).digest).toBe(sha256(content))
    expect((await store().finish("key", finish)).digest).toBe(sha256(content))
  })

  it("gives no digest that was not asked for, and also one that was asked for late", async () => {
    const content = bytes(1000)
    await store().append("key", { epoch: 1, offset: 0, size: 1000, body: chunksOf(content) })
    expect((await store().finish("key", { epoch: 1, size: 1000 })).digest).toBe("")
    expect((await store().finish("key", { epoch: 1, size: 1000, isHashed: true })).digest).toBe(sha256(content))
  })

  it("removes blobs finished, unfinished and unknown, and can take the key again", async () => {
    const { ref } = await write(store(), "finished", bytes(10))
    await store().append("unfinished", { epoch: 1, offset: 0, size: 20, body: chunksOf(bytes(10)) })
    for (const key of ["finished", "unfinished", "unknown"]) {
      await store().remove(key)
      expect(await reasonOf(store().read(key, { start: 0, end: 0, ref }))).toBe("missing")
      expect(await reasonOf(store().read(key, { start: 0, end: 0 }))).toBe("missing")
      const finished = await write(store(), key, bytes(3), 2)
      expectBytes(await readWhole(store(), key, 3, finished), bytes(3))
    }
  })

  it("keeps keys apart that differ in the case of a letter or are long", async () => {
    const keys = ["abc", "ABC", "aBc", "😀", "🎉", "x".repeat(512), `${"x".repeat(511)}y`]
    const refs: Array<string | null> = []
    for (const [index, key] of keys.entries()) refs.push((await write(store(), key, bytes(10, index))).ref)
    for (const [index, key] of keys.entries()) {
      expectBytes(await readWhole(store(), key, 10, { ref: refs[index]! }), bytes(10, index))
    }
  })
}
