import type { BlobStore } from "../../ingest.ts"
import { it } from "../cases.ts"
import { expect } from "../expect.ts"
import { breakingAfter, bytes, chunksOf, expectBytes, readAll, reasonOf, sha256, write } from "./drive-blob-store.ts"

/** What was written can be read, in part, digested and removed. */
export const testBlobContents = (store: () => BlobStore): void => {
  it("gives back what was appended", async () => {
    const content = bytes(3000)
    const body = chunksOf(content.subarray(0, 1000), content.subarray(1000, 1001), content.subarray(1001))
    expect(await store().append("key", { epoch: 1, offset: 0, body })).toEqual({ offset: 3000 })
    await store().finish("key", { epoch: 1, size: 3000 })
    expectBytes(await readAll(await store().read("key", { start: 0, end: 2999 })), content)
  })

  it("keeps a blob of no bytes", async () => {
    expect(await store().append("key", { epoch: 1, offset: 0, body: chunksOf() })).toEqual({ offset: 0 })
    await store().finish("key", { epoch: 1, size: 0 })
    expect(await store().claim("key", 2)).toEqual({ size: 0, isFinished: true })
  })

  it("reads any range, within a small blob and across the pieces of a large one", async () => {
    const small = bytes(1000)
    await write(store(), "small", small)
    expectBytes(await readAll(await store().read("small", { start: 0, end: 0 })), small.subarray(0, 1))
    expectBytes(await readAll(await store().read("small", { start: 10, end: 999 })), small.subarray(10))
    const large = bytes(5 * 1024 * 1024 + 7)
    await write(store(), "large", large)
    expectBytes(await readAll(await store().read("large", { start: 1, end: large.length - 2 })), large.subarray(1, -1))
  })

  it("can stop in the middle of reading", async () => {
    await write(store(), "large", bytes(3 * 1024 * 1024))
    const reader = (await store().read("large", { start: 0, end: 3 * 1024 * 1024 - 1 })).getReader()
    expect((await reader.read()).value?.length).toBeGreaterThan(0)
    await reader.cancel()
    await store().remove("large")
  })

  it("reads nothing of a blob that is there, and finds none that is not", async () => {
    await write(store(), "key", bytes(10))
    expectBytes(await readAll(await store().read("key", { start: 0, end: -1 })), new Uint8Array())
    expect(await reasonOf(store().read("unknown", { start: 0, end: -1 }))).toBe("missing")
  })

  it("says what is missing", async () => {
    await write(store(), "key", bytes(10))
    expect(await reasonOf(store().read("unknown", { start: 0, end: 0 }))).toBe("missing")
    expect(await reasonOf(store().read("key", { start: 0, end: 10 }).then(readAll))).toBe("missing")
  })

  it("gives the digest of the beginning of a blob, while it grows, after an interruption and when it is finished", async () => {
    const content = bytes(3_000_000)
    await store().append("key", {
      epoch: 1,
      offset: 0,
      isHashed: true,
      body: breakingAfter(content.subarray(0, 2_500_000)),
    })
    await store().claim("key", 2)
    await store().append("key", {
      epoch: 2,
      offset: 2_500_000,
      isHashed: true,
      body: chunksOf(content.subarray(2_500_000)),
    })
    expect(await store().digest("key", 3_000_000)).toBe(sha256(content))
    expect(await store().digest("key", 1000)).toBe(sha256(content.subarray(0, 1000)))
    await store().finish("key", { epoch: 2, size: 3_000_000 })
    expect(await store().digest("key", 3_000_000)).toBe(sha256(content))
    expect(await store().digest("key", 0)).toBe(sha256(new Uint8Array()))
  })

  it("does not give the digest of bytes that are not there", async () => {
    await write(store(), "key", bytes(10))
    expect(await reasonOf(store().digest("key", 11))).not.toBe("it succeeded")
    expect(await reasonOf(store().digest("unknown", 1))).toBe("missing")
  })

  it("removes blobs finished, unfinished and unknown, and can take the key again", async () => {
    await write(store(), "finished", bytes(10))
    await store().append("unfinished", { epoch: 1, offset: 0, body: chunksOf(bytes(10)) })
    for (const key of ["finished", "unfinished", "unknown"]) {
      await store().remove(key)
      expect(await reasonOf(store().read(key, { start: 0, end: 0 }))).toBe("missing")
      await write(store(), key, bytes(3), 2)
      expectBytes(await readAll(await store().read(key, { start: 0, end: 2 })), bytes(3))
    }
  })

  it("keeps keys apart that differ in the case of a letter or are long", async () => {
    const keys = ["abc", "ABC", "aBc", "x".repeat(512), `${"x".repeat(511)}y`]
    for (const [index, key] of keys.entries()) await write(store(), key, bytes(10, index))
    for (const [index, key] of keys.entries()) {
      expectBytes(await readAll(await store().read(key, { start: 0, end: 9 })), bytes(10, index))
    }
  })
}
