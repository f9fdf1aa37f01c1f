import type { BlobStore } from "../../ingest.ts"
import { it } from "../cases.ts"
import { expect } from "../expect.ts"
import { breakingAfter, bytes, chunksOf, expectBytes, readAll, readWhole, reasonOf, write } from "./drive-blob-store.ts"

/** A store says what it can do. */
export const testAbilities = (store: () => BlobStore): void => {
  it("says what it can do", async () => {
    const { isDurable, readsUnfinished } = store().abilities
    expect([typeof isDurable, typeof readsUnfinished]).toEqual(["boolean", "boolean"])
    // What is free may be unknown, but never a guess below nothing.
    expect((await store().free?.()) ?? 0).toBeGreaterThan(-1)
  })

  it("says that bytes can be stored, as often as it is asked", async () => {
    await Promise.all([store().probe(), store().probe()])
    await store().probe()
  })
}

/** A store that is kept on something has everything when it is opened again, by another process too. */
export const testDurableBlobStore = (store: () => BlobStore, reopen: () => Promise<BlobStore>): void => {
  it("has everything after it was opened anew", async () => {
    expect(store().abilities.isDurable).toBe(true)
    const finished = await write(store(), "finished", bytes(10))
    const content = bytes(2_000_005)
    const body = breakingAfter(content.subarray(0, 2_000_000))
    await store().append("unfinished", { epoch: 3, offset: 0, size: content.length, body })
    const again = await reopen()
    expect(await again.claim("finished", 2)).toEqual({ size: 10, isFinished: true })
    expectBytes(await readWhole(again, "finished", 10, finished), bytes(10))
    if (again.abilities.readsUnfinished) {
      const stored = await readAll(await again.read("unfinished", { start: 0, end: 1_999_999 }))
      expectBytes(stored, content.subarray(0, 2_000_000))
    }
    expect(await again.claim("unfinished", 9)).toEqual({ size: 2_000_000, isFinished: false })
    const rest = chunksOf(content.subarray(2_000_000))
    await again.append("unfinished", { epoch: 9, offset: 2_000_000, size: content.length, body: rest })
    const ended = await again.finish("unfinished", { epoch: 9, size: content.length })
    expectBytes(await readWhole(again, "unfinished", content.length, ended), content)
    await again.close()
  })

  it("finishes again what another process has finished, with the same digest", async () => {
    const content = bytes(70_000)
    await store().append("key", { epoch: 1, offset: 0, size: 70_000, isHashed: true, body: chunksOf(content) })
    const { digest } = await store().finish("key", { epoch: 1, size: 70_000, isHashed: true })
    const again = await reopen()
    expect(await again.claim("key", 2)).toEqual({ size: 70_000, isFinished: true })
    const repeated = await again.finish("key", { epoch: 2, size: 70_000, isHashed: true })
    expect(repeated.digest).toBe(digest)
    expectBytes(await readWhole(again, "key", 70_000, repeated), content)
    await again.close()
  })

  it("fences off the writers of another process", async () => {
    const half = 4 * 1024 * 1024
    const size = 2 * half
    const content = bytes(size)
    const gate = Promise.withResolvers<void>()
    const asked = Promise.withResolvers<void>()
    async function* body() {
      yield content.subarray(0, half)
      asked.resolve()
      await gate.promise
      yield bytes(half, 99)
    }
    const old = reasonOf(store().append("key", { epoch: 1, offset: 0, size, body: body() }))
    await asked.promise
    const again = await reopen()
    // A driver may keep what came so far, or nothing of it.
    const { size: stored, isFinished } = await again.claim("key", 2)
    expect([stored <= half, isFinished]).toEqual([true, false])
    gate.resolve()
    // It is refused, or writes to a place that nobody reads.
    const ofOld = await old.then((reason) =>
      reason === "it succeeded"
        ? store()
            .finish("key", { epoch: 1, size })
            .catch(() => undefined)
        : undefined,
    )
    expect(["fenced", "it succeeded"]).toContain(await old)
    await again.append("key", { epoch: 2, offset: stored, size, body: chunksOf(content.subarray(stored)) })
    const finished = await again.finish("key", { epoch: 2, size })
    if (ofOld !== undefined) expect(ofOld.ref).not.toBe(finished.ref)
    expectBytes(await readWhole(again, "key", size, finished), content)
    expect(await reasonOf(store().finish("key", { epoch: 1, size: size + 1 }))).not.toBe("it succeeded")
    expectBytes(await readWhole(again, "key", size, finished), content)
    await again.close()
  })
}

/** A store that cannot be opened again does not claim to be durable. */
export const testVolatileBlobStore = (store: () => BlobStore): void => {
  it("does not outlive its process, and says so", () => {
    expect(store().abilities.isDurable, "a durable store is set up with `reopen`").toBe(false)
  })
}
