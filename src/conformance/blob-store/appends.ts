import type { BlobStore } from "../../ingest.ts"
import { it } from "../cases.ts"
import { expect } from "../expect.ts"
import { breakingAfter, bytes, chunksOf, expectBytes, readAll, reasonOf, sha256 } from "./drive-blob-store.ts"

/** Bytes come in order, are kept where a body breaks off, and end with a size. */
export const testAppends = (store: () => BlobStore): void => {
  it("knows nothing of a key never seen", async () => {
    expect(await store().claim("key", 1)).toEqual({ size: 0, isFinished: false })
    expect(await store().append("key", { epoch: 1, offset: 0, body: chunksOf(bytes(4)) })).toEqual({ offset: 4 })
  })

  it("stores what came before the body broke off, and says how much", async () => {
    const content = bytes(5000)
    const appended = await store().append("key", {
      epoch: 1,
      offset: 0,
      body: breakingAfter(content.subarray(0, 2000), content.subarray(2000, 2001)),
    })
    expect(appended).toMatchObject({ offset: 2001, brokenOff: { cause: new Error("the client left") } })
    expectBytes(await readAll(await store().read("key", { start: 0, end: 2000 })), content.subarray(0, 2001))
    expect(await store().claim("key", 2)).toEqual({ size: 2001, isFinished: false })
    const rest = chunksOf(content.subarray(2001))
    expect(await store().append("key", { epoch: 2, offset: 2001, body: rest })).toEqual({ offset: 5000 })
    await store().finish("key", { epoch: 2, size: 5000 })
    expectBytes(await readAll(await store().read("key", { start: 0, end: 4999 })), content)
  })

  it("takes any number of interruptions, in batches larger than its own", async () => {
    const content = bytes(7 * 1024 * 1024 + 3)
    let offset = 0
    for (let epoch = 1; offset < content.length; epoch++) {
      if (epoch > 1) expect((await store().claim("key", epoch)).size).toBe(offset)
      const next = Math.min(offset + 1_500_001, content.length)
      const body = breakingAfter(content.subarray(offset, offset + 9), content.subarray(offset + 9, next))
      offset = (await store().append("key", { epoch, offset, body })).offset
      expect(offset).toBe(next)
      if (offset === content.length) await store().finish("key", { epoch, size: offset })
    }
    expectBytes(await readAll(await store().read("key", { start: 0, end: content.length - 1 })), content)
  })

  it("frees or leaves the memory of chunks it may dispose of, and stores them right", async () => {
    const content = bytes(5 * 1024 * 1024)
    async function* body() {
      for (let at = 0; at < content.length; at += 65_536) yield content.slice(at, at + 65_536)
    }
    const appended = await store().append("key", {
      epoch: 1,
      offset: 0,
      isDisposable: true,
      isHashed: true,
      body: body(),
    })
    expect(appended.offset).toBe(content.length)
    expect(await store().digest("key", content.length)).toBe(sha256(content))
  })

  it("refuses to append anywhere but at the end", async () => {
    await store().append("key", { epoch: 1, offset: 0, body: chunksOf(bytes(10)) })
    for (const offset of [0, 9, 11]) {
      await store().claim("key", 2)
      expect(await reasonOf(store().append("key", { epoch: 2, offset, body: chunksOf(bytes(1)) }))).toBe("offset")
    }
    expect(await store().claim("key", 3)).toEqual({ size: 10, isFinished: false })
  })

  it("refuses to finish with another size, or to go on after finishing", async () => {
    await store().append("key", { epoch: 1, offset: 0, body: chunksOf(bytes(10)) })
    expect(await reasonOf(store().finish("key", { epoch: 1, size: 11 }))).toBe("offset")
    await store().finish("key", { epoch: 1, size: 10 })
    expect(await store().claim("key", 2)).toEqual({ size: 10, isFinished: true })
    expect(await reasonOf(store().append("key", { epoch: 2, offset: 0, body: chunksOf(bytes(1)) }))).toBe("offset")
    await store().finish("key", { epoch: 2, size: 10 })
    expectBytes(await readAll(await store().read("key", { start: 0, end: 9 })), bytes(10))
  })
}
