import { createHash } from "node:crypto"
import { type BlobStore, BlobStoreError } from "../ingest.ts"
import { afterEach, beforeEach, it, listCases, runSuite, type TestRunner } from "./cases.ts"
import { contracts } from "./contracts.ts"
import { expect } from "./expect.ts"

/** How a driver is set up for {@link testBlobStore}. */
export interface BlobStoreSetup {
  /** A store with nothing in it. Called before each case. */
  readonly create: () => Promise<BlobStore>
  /**
   * A second store over the same place while the first one is still open, as the next process opens it after a crash. For
   * drivers whose `abilities.isDurable` is true.
   */
  readonly reopen?: (() => Promise<BlobStore>) | undefined
  /** Removes what `create` made. Called after each case, after the store was closed. */
  readonly cleanUp?: (() => Promise<void>) | undefined
}

const bytes = (length: number, seed = 0): Uint8Array => Uint8Array.from({ length }, (_, i) => (i * 31 + seed) & 255)

async function* chunksOf(...chunks: ReadonlyArray<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks
}

async function* breakingAfter(...chunks: ReadonlyArray<Uint8Array>): AsyncGenerator<Uint8Array> {
  yield* chunks
  throw new Error("the client left")
}

const sha256 = (content: Uint8Array): string => createHash("sha256").update(content).digest("hex")

const readAll = async (stream: ReadableStream<Uint8Array>): Promise<Uint8Array> =>
  new Uint8Array(await new Response(stream as ReadableStream<Uint8Array<ArrayBuffer>>).arrayBuffer())

/** `toEqual` takes seconds for megabytes. */
const expectBytes = (actual: Uint8Array, expected: Uint8Array): void => {
  expect(actual.length).toBe(expected.length)
  expect(Buffer.compare(actual, expected)).toBe(0)
}

const reasonOf = (promise: Promise<unknown>): Promise<string> =>
  promise.then(
    () => "it succeeded",
    (cause: unknown) => (BlobStoreError.is(cause) ? cause.reason : String(cause)),
  )

/** Appends all of a file and finishes it. */
const write = async (store: BlobStore, key: string, content: Uint8Array, epoch = 1): Promise<void> => {
  await store.append(key, { epoch, offset: 0, body: chunksOf(content) })
  await store.finish(key, { epoch, size: content.length })
}

/** A store that is kept on something has everything when it is opened again, by another process too. */
const testDurableBlobStore = (open: () => BlobStore, reopen: () => Promise<BlobStore>): void => {
  it("has everything after it was opened anew", async () => {
    expect(open().abilities.isDurable).toBe(true)
    await write(open(), "finished", bytes(10))
    await open().append("unfinished", { epoch: 3, offset: 0, body: breakingAfter(bytes(2_000_000)) })
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
    const old = open().append("key", { epoch: 1, offset: 0, body: body() })
    await asked.promise
    const again = await reopen()
    // A driver may keep what came so far, or nothing of it.
    const { size, isFinished } = await again.claim("key", 2)
    expect([size <= content.length, isFinished]).toEqual([true, false])
    gate.resolve()
    expect(await reasonOf(old)).toBe("fenced")
    expect(await reasonOf(open().finish("key", { epoch: 1, size }))).toBe("fenced")
    await again.append("key", { epoch: 2, offset: size, body: chunksOf(content.subarray(size)) })
    await again.finish("key", { epoch: 2, size: content.length })
    await again.close()
  })
}

/** A store that cannot be opened again does not claim to be durable. */
const testVolatileBlobStore = (open: () => BlobStore): void => {
  it("does not outlive its process, and says so", () => {
    expect(open().abilities.isDurable, "a durable store is set up with `reopen`").toBe(false)
  })
}

const describeBlobStore = (setup: BlobStoreSetup): void => {
  let store: BlobStore
  beforeEach(async () => {
    store = await setup.create()
  })
  afterEach(async () => {
    await store.close()
    await setup.cleanUp?.()
  })

  it("gives back what was appended", async () => {
    const content = bytes(3000)
    const body = chunksOf(content.subarray(0, 1000), content.subarray(1000, 1001), content.subarray(1001))
    expect(await store.append("key", { epoch: 1, offset: 0, body })).toEqual({ offset: 3000 })
    await store.finish("key", { epoch: 1, size: 3000 })
    expectBytes(await readAll(await store.read("key", { start: 0, end: 2999 })), content)
  })

  it("keeps a blob of no bytes", async () => {
    expect(await store.append("key", { epoch: 1, offset: 0, body: chunksOf() })).toEqual({ offset: 0 })
    await store.finish("key", { epoch: 1, size: 0 })
    expect(await store.claim("key", 2)).toEqual({ size: 0, isFinished: true })
  })

  it("reads any range, within a small blob and across the pieces of a large one", async () => {
    const small = bytes(1000)
    await write(store, "small", small)
    expectBytes(await readAll(await store.read("small", { start: 0, end: 0 })), small.subarray(0, 1))
    expectBytes(await readAll(await store.read("small", { start: 10, end: 999 })), small.subarray(10))
    const large = bytes(5 * 1024 * 1024 + 7)
    await write(store, "large", large)
    expectBytes(await readAll(await store.read("large", { start: 1, end: large.length - 2 })), large.subarray(1, -1))
  })

  it("can stop in the middle of reading", async () => {
    await write(store, "large", bytes(3 * 1024 * 1024))
    const reader = (await store.read("large", { start: 0, end: 3 * 1024 * 1024 - 1 })).getReader()
    expect((await reader.read()).value?.length).toBeGreaterThan(0)
    await reader.cancel()
    await store.remove("large")
  })

  it("says what it can do", async () => {
    const { isDurable, isShared, smallestAppend } = store.abilities
    expect([typeof isDurable, typeof isShared, Number.isSafeInteger(smallestAppend)]).toEqual([
      "boolean",
      "boolean",
      true,
    ])
    // What is free may be unknown, but never a guess below nothing.
    if (store.free !== undefined) expect(await store.free()).toBeGreaterThan(-1)
  })

  it("reads nothing of a blob that is there, and finds none that is not", async () => {
    await write(store, "key", bytes(10))
    expectBytes(await readAll(await store.read("key", { start: 0, end: -1 })), new Uint8Array())
    expect(await reasonOf(store.read("unknown", { start: 0, end: -1 }))).toBe("missing")
  })

  it("says what is missing", async () => {
    await write(store, "key", bytes(10))
    expect(await reasonOf(store.read("unknown", { start: 0, end: 0 }))).toBe("missing")
    expect(await reasonOf(store.read("key", { start: 0, end: 10 }).then(readAll))).toBe("missing")
  })

  it("stores what came before the body broke off, and says how much", async () => {
    const content = bytes(5000)
    const appended = await store.append("key", {
      epoch: 1,
      offset: 0,
      body: breakingAfter(content.subarray(0, 2000), content.subarray(2000, 2001)),
    })
    expect(appended).toMatchObject({ offset: 2001, brokenOff: { cause: new Error("the client left") } })
    expectBytes(await readAll(await store.read("key", { start: 0, end: 2000 })), content.subarray(0, 2001))
    expect(await store.claim("key", 2)).toEqual({ size: 2001, isFinished: false })
    const rest = chunksOf(content.subarray(2001))
    expect(await store.append("key", { epoch: 2, offset: 2001, body: rest })).toEqual({ offset: 5000 })
    await store.finish("key", { epoch: 2, size: 5000 })
    expectBytes(await readAll(await store.read("key", { start: 0, end: 4999 })), content)
  })

  it("takes any number of interruptions, in batches larger than its own", async () => {
    const content = bytes(7 * 1024 * 1024 + 3)
    let offset = 0
    for (let epoch = 1; offset < content.length; epoch++) {
      if (epoch > 1) expect((await store.claim("key", epoch)).size).toBe(offset)
      const next = Math.min(offset + 1_500_001, content.length)
      const body = breakingAfter(content.subarray(offset, offset + 9), content.subarray(offset + 9, next))
      offset = (await store.append("key", { epoch, offset, body })).offset
      expect(offset).toBe(next)
      if (offset === content.length) await store.finish("key", { epoch, size: offset })
    }
    expectBytes(await readAll(await store.read("key", { start: 0, end: content.length - 1 })), content)
  })

  it("knows nothing of a key never seen", async () => {
    expect(await store.claim("key", 1)).toEqual({ size: 0, isFinished: false })
    expect(await store.append("key", { epoch: 1, offset: 0, body: chunksOf(bytes(4)) })).toEqual({ offset: 4 })
  })

  it("gives the digest of the beginning of a blob, while it grows, after an interruption and when it is finished", async () => {
    const content = bytes(3_000_000)
    await store.append("key", {
      epoch: 1,
      offset: 0,
      isHashed: true,
      body: breakingAfter(content.subarray(0, 2_500_000)),
    })
    await store.claim("key", 2)
    await store.append("key", {
      epoch: 2,
      offset: 2_500_000,
      isHashed: true,
      body: chunksOf(content.subarray(2_500_000)),
    })
    expect(await store.digest("key", 3_000_000)).toBe(sha256(content))
    expect(await store.digest("key", 1000)).toBe(sha256(content.subarray(0, 1000)))
    await store.finish("key", { epoch: 2, size: 3_000_000 })
    expect(await store.digest("key", 3_000_000)).toBe(sha256(content))
    expect(await store.digest("key", 0)).toBe(sha256(new Uint8Array()))
  })

  it("does not give the digest of bytes that are not there", async () => {
    await write(store, "key", bytes(10))
    expect(await reasonOf(store.digest("key", 11))).not.toBe("it succeeded")
    expect(await reasonOf(store.digest("unknown", 1))).toBe("missing")
  })

  it("frees or leaves the memory of chunks it may dispose of, and stores them right", async () => {
    const content = bytes(5 * 1024 * 1024)
    async function* body() {
      for (let at = 0; at < content.length; at += 65_536) yield content.slice(at, at + 65_536)
    }
    const appended = await store.append("key", {
      epoch: 1,
      offset: 0,
      isDisposable: true,
      isHashed: true,
      body: body(),
    })
    expect(appended.offset).toBe(content.length)
    expect(await store.digest("key", content.length)).toBe(sha256(content))
  })

  it("refuses to append anywhere but at the end", async () => {
    await store.append("key", { epoch: 1, offset: 0, body: chunksOf(bytes(10)) })
    for (const offset of [0, 9, 11]) {
      await store.claim("key", 2)
      expect(await reasonOf(store.append("key", { epoch: 2, offset, body: chunksOf(bytes(1)) }))).toBe("offset")
    }
    expect(await store.claim("key", 3)).toEqual({ size: 10, isFinished: false })
  })

  it("refuses to finish with another size, or to go on after finishing", async () => {
    await store.append("key", { epoch: 1, offset: 0, body: chunksOf(bytes(10)) })
    expect(await reasonOf(store.finish("key", { epoch: 1, size: 11 }))).toBe("offset")
    await store.finish("key", { epoch: 1, size: 10 })
    expect(await store.claim("key", 2)).toEqual({ size: 10, isFinished: true })
    expect(await reasonOf(store.append("key", { epoch: 2, offset: 0, body: chunksOf(bytes(1)) }))).toBe("offset")
    await store.finish("key", { epoch: 2, size: 10 })
    expectBytes(await readAll(await store.read("key", { start: 0, end: 9 })), bytes(10))
  })

  it("refuses everything of an older epoch once it has seen a newer one", async () => {
    await store.append("key", { epoch: 1, offset: 0, body: chunksOf(bytes(10)) })
    await store.claim("key", 2)
    expect(await reasonOf(store.append("key", { epoch: 1, offset: 10, body: chunksOf(bytes(1)) }))).toBe("fenced")
    expect(await reasonOf(store.finish("key", { epoch: 1, size: 10 }))).toBe("fenced")
    expect(await reasonOf(store.claim("key", 1))).toBe("fenced")
    expect(await store.claim("key", 2)).toEqual({ size: 10, isFinished: false })
  })

  it("fences a writer off in the middle of its body", async () => {
    const content = bytes(2 * 1024 * 1024)
    const asked = Promise.withResolvers<void>()
    const taken = Promise.withResolvers<void>()
    async function* body() {
      yield content
      asked.resolve()
      await taken.promise
      for (let i = 0; i < 4; i++) yield bytes(1024 * 1024, 7)
    }
    const old = store.append("key", { epoch: 1, offset: 0, body: body() })
    await asked.promise
    const { size } = await store.claim("key", 2)
    expect(size).toBeLessThanOrEqual(content.length)
    taken.resolve()
    expect(await reasonOf(old)).toBe("fenced")
    expect(await store.claim("key", 2)).toEqual({ size, isFinished: false })
    await store.append("key", { epoch: 2, offset: size, body: chunksOf(content.subarray(size)) })
    expectBytes(await readAll(await store.read("key", { start: 0, end: content.length - 1 })), content)
  })

  it("removes blobs finished, unfinished and unknown, and can take the key again", async () => {
    await write(store, "finished", bytes(10))
    await store.append("unfinished", { epoch: 1, offset: 0, body: chunksOf(bytes(10)) })
    for (const key of ["finished", "unfinished", "unknown"]) {
      await store.remove(key)
      expect(await reasonOf(store.read(key, { start: 0, end: 0 }))).toBe("missing")
      await write(store, key, bytes(3), 2)
      expectBytes(await readAll(await store.read(key, { start: 0, end: 2 })), bytes(3))
    }
  })

  it("keeps keys apart that differ in the case of a letter or are long", async () => {
    const keys = ["abc", "ABC", "aBc", "x".repeat(512), `${"x".repeat(511)}y`]
    for (const [index, key] of keys.entries()) await write(store, key, bytes(10, index))
    for (const [index, key] of keys.entries()) {
      expectBytes(await readAll(await store.read(key, { start: 0, end: 9 })), bytes(10, index))
    }
  })

  if (setup.reopen === undefined) testVolatileBlobStore(() => store)
  else testDurableBlobStore(() => store, setup.reopen)
}

const nameSuite = (name: string): string => `${name} as a blob store, contract ${contracts.blobStore}`

/**
 * Tests what every {@link BlobStore} promises. One call of it is the whole test of a driver.
 *
 * @param runner `{ describe, test }` of the test runner in use
 * @param name what stands in the titles, before the version of the contract
 */
export const testBlobStore = (runner: TestRunner, name: string, setup: BlobStoreSetup): void =>
  runSuite(runner, nameSuite(name), () => describeBlobStore(setup))

/** The titles of all cases that a set-up leads to. */
export const listBlobStoreCases = (name: string, setup: BlobStoreSetup): ReadonlyArray<string> =>
  listCases(nameSuite(name), () => describeBlobStore(setup))
