import type { BlobStore } from "../../ingest.ts"
import { it } from "../cases.ts"
import { expect } from "../expect.ts"
import { breakingAfter, bytes, chunksOf, expectBytes, readAll, reasonOf, write } from "./drive-blob-store.ts"

/** A store says what it can do. */
export const testAbilities = (store: () => BlobStore): void => {
  it("says what it can do", async () => {
    const { isDurable, isShared, smallestAppend } = store().abilities
    expect([typeof isDurable, typeof isShared, smallestAppend]).toEqual(["boolean", "boolean", 1])
    // What is free may be unknown, but never a guess below nothing.
    expect((await store().free?.()) ?? 0).toBeGreaterThan(-1)
  })
}

/** A store that is kept on something has everything when it is opened again, by another process too. */
export const testDurableBlobStore = (store: () => BlobStore, reopen: () => Promise<BlobStore>): void => {
  it("has everything after it was opened anew", async () => {
    expect(store().abilities.isDurable).toBe(true)
    await write(store(), "finished", bytes(10))
    await store().append("unfinished", { epoch: 3, offset: 0, body: breakingAfter(bytes(2_000_000)) })
    const again = await reopen()
    expect(await again.claim("finished", 2)).toEqual({ size: 10, isFinished: true })
    expectBytes(await readAll(await again.read("unfinished", { start: 0, end: 1_999_999 })), bytes(2_000_000))
    expect(await again.claim("unfinished", 9)).toEqual({ size: 2_000_000, isFinished: false })
    await again.append("unfinished", { epoch: 9, offset: 2_000_000, body: chunksOf(bytes(5)) })
    await again.finish("unfinished", { epoch: 9, size: 2_000_005 })
    await again.close()
  })

  it("fences off the writers of another process", async () => {
    const content = bytes(4 * 1024 * 1024)
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    async function* body() {
      yield content
      asked.resolve()
      await gate.promise
      yield content
    }
    const old = store().append("key", { epoch: 1, offset: 0, body: body() })
    await asked.promise
    const again = await reopen()
    // A driver may keep what came so far, or nothing of it.
    const { size, isFinished } = await again.claim("key", 2)
    expect([size <= content.length, isFinished]).toEqual([true, false])
    gate.resolve()
    expect(await reasonOf(old)).toBe("fenced")
    expect(await reasonOf(store().finish("key", { epoch: 1, size }))).toBe("fenced")
    await again.append("key", { epoch: 2, offset: size, body: chunksOf(content.subarray(size)) })
    await again.finish("key", { epoch: 2, size: content.length })
    await again.close()
  })
}

/** A store that cannot be opened again does not claim to be durable. */
export const testVolatileBlobStore = (store: () => BlobStore): void => {
  it("does not outlive its process, and says so", () => {
    expect(store().abilities.isDurable, "a durable store is set up with `reopen`").toBe(false)
  })
}
