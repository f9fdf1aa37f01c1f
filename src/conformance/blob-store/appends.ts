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
} from "./drive-blob-store.ts"

/** Bytes come in order, are kept where a body breaks off, and end with a size. */
export const testAppends = (store: () => BlobStore): void => {
  it("knows nothing of a key never seen", async () => {
    expect(await store().claim("key", 1)).toEqual({ size: 0, isFinished: false })
    const append = { epoch: 1, offset: 0, size: 4, body: chunksOf(bytes(4)) }
    expect(await store().append("key", append)).toEqual({ offset: 4 })
  })

  it("stores what came before the body broke off, and says how much", async () => {
    const content = bytes(5000)
    const appended = await store().append("key", {
      epoch: 1,
      offset: 0,
      size: 5000,
      body: breakingAfter(content.subarray(0, 2000), content.subarray(2000, 2001)),
    })
    expect(appended).toMatchObject({ offset: 2001, brokenOff: { cause: new Error("the client left") } })
    expect(await store().claim("key", 2)).toEqual({ size: 2001, isFinished: false })
    // The beginning is what every store can read before a blob is finished.
    expectBytes(await readAll(await store().read("key", { start: 0, end: 2000 })), content.subarray(0, 2001))
    const rest = chunksOf(content.subarray(2001))
    expect(await store().append("key", { epoch: 2, offset: 2001, size: 5000, body: rest })).toEqual({ offset: 5000 })
    const finished = await store().finish("key", { epoch: 2, size: 5000 })
    expectBytes(await readWhole(store(), "key", 5000, finished), content)
  })

  it("stores what came before the body ended early", async () => {
    const content = bytes(3000)
    const early = { epoch: 1, offset: 0, size: 3000, body: chunksOf(content.subarray(0, 1000)) }
    expect(await store().append("key", early)).toEqual({ offset: 1000 })
    const rest = { epoch: 1, offset: 1000, size: 3000, body: chunksOf(content.subarray(1000)) }
    expect(await store().append("key", rest)).toEqual({ offset: 3000 })
    expectBytes(await readWhole(store(), "key", 3000, await store().finish("key", { epoch: 1, size: 3000 })), content)
  })

  for (const [what, size, step] of [
    ["a small file", 7 * 1024 * 1024 + 3, 1_500_001],
    ["a file of several parts", 20 * 1024 * 1024 + 3, 3_700_001],
  ] as const) {
    it(`takes any number of interruptions, in batches larger than its own, of ${what}`, async () => {
      const content = bytes(size)
      let offset = 0
      for (let epoch = 1; offset < size; epoch++) {
        if (epoch > 1) expect((await store().claim("key", epoch)).size).toBe(offset)
        const next = Math.min(offset + step, size)
        const body = breakingAfter(content.subarray(offset, offset + 9), content.subarray(offset + 9, next))
        offset = (await store().append("key", { epoch, offset, size, body, isHashed: true })).offset
        expect(offset).toBe(next)
        if (offset < size) continue
        const finished = await store().finish("key", { epoch, size, isHashed: true })
        expect(finished.digest).toBe(sha256(content))
        expectBytes(await readWhole(store(), "key", size, finished), content)
      }
    })
  }

  it("frees or leaves the memory of chunks it may dispose of, and stores them right", async () => {
    const content = bytes(5 * 1024 * 1024)
    async function* body() {
      for (let at = 0; at < content.length; at += 65_536) yield content.slice(at, at + 65_536)
    }
    const appended = await store().append("key", {
      epoch: 1,
      offset: 0,
      size: content.length,
      isDisposable: true,
      isHashed: true,
      body: body(),
    })
    expect(appended.offset).toBe(content.length)
    const finished = await store().finish("key", { epoch: 1, size: content.length, isHashed: true })
    expect(finished.digest).toBe(sha256(content))
  })

  it("refuses to append anywhere but at the end", async () => {
    const appendAt = (epoch: number, offset: number, length: number) =>
      store().append("key", { epoch, offset, size: 20, body: chunksOf(bytes(length)) })
    await appendAt(1, 0, 10)
    for (const offset of [0, 9, 11]) {
      await store().claim("key", 2)
      expect(await reasonOf(appendAt(2, offset, 1))).toBe("offset")
    }
    expect(await store().claim("key", 3)).toEqual({ size: 10, isFinished: false })
  })

  it("refuses to finish with another size, or to go on after finishing", async () => {
    await store().append("key", { epoch: 1, offset: 0, size: 10, body: chunksOf(bytes(10)) })
    expect(await reasonOf(store().finish("key", { epoch: 1, size: 11 }))).toBe("offset")
    await store().finish("key", { epoch: 1, size: 10 })
    expect(await store().claim("key", 2)).toEqual({ size: 10, isFinished: true })
    const more = { epoch: 2, offset: 0, size: 10, body: chunksOf(bytes(1)) }
    expect(await reasonOf(store().append("key", more))).toBe("offset")
    const finished = await store().finish("key", { epoch: 2, size: 10 })
    expectBytes(await readWhole(store(), "key", 10, finished), bytes(10))
  })

  it("does not finish what has not all arrived", async () => {
    await store().append("key", { epoch: 1, offset: 0, size: 10, body: chunksOf(bytes(9)) })
    expect(await reasonOf(store().finish("key", { epoch: 1, size: 10 }))).toBe("offset")
    expect(await store().claim("key", 2)).toEqual({ size: 9, isFinished: false })
  })
}
