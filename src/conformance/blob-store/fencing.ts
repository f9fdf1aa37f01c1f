import type { BlobStore } from "../../ingest.ts"
import { it } from "../cases.ts"
import { expect } from "../expect.ts"
import { bytes, chunksOf, expectBytes, readWhole, reasonOf } from "./drive-blob-store.ts"

/** A writer is refused once a newer one was seen. */
export const testFencing = (store: () => BlobStore): void => {
  it("refuses everything of an older epoch once it has seen a newer one", async () => {
    await store().append("key", { epoch: 1, offset: 0, size: 11, body: chunksOf(bytes(10)) })
    await store().claim("key", 2)
    const more = { epoch: 1, offset: 10, size: 11, body: chunksOf(bytes(1)) }
    expect(await reasonOf(store().append("key", more))).toBe("fenced")
    expect(await reasonOf(store().finish("key", { epoch: 1, size: 10 }))).toBe("fenced")
    expect(await reasonOf(store().claim("key", 1))).toBe("fenced")
    expect(await store().claim("key", 2)).toEqual({ size: 10, isFinished: false })
  })

  it("fences a writer off in the middle of its body", async () => {
    const content = bytes(2 * 1024 * 1024)
    const size = content.length
    const asked = Promise.withResolvers<void>()
    const taken = Promise.withResolvers<void>()
    async function* body() {
      yield content
      asked.resolve()
      await taken.promise
      for (let i = 0; i < 4; i++) yield bytes(1024 * 1024, 7)
    }
    const old = store().append("key", { epoch: 1, offset: 0, size: 6 * 1024 * 1024, body: body() })
    await asked.promise
    const { size: stored } = await store().claim("key", 2)
    expect(stored).toBeLessThanOrEqual(size)
    taken.resolve()
    expect(await reasonOf(old)).toBe("fenced")
    expect(await store().claim("key", 2)).toEqual({ size: stored, isFinished: false })
    await store().append("key", { epoch: 2, offset: stored, size, body: chunksOf(content.subarray(stored)) })
    expectBytes(await readWhole(store(), "key", size, await store().finish("key", { epoch: 2, size })), content)
  })
}
