import { randomBytes } from "node:crypto"
import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { BlobStore } from "../../../../src/ingest/storage/blob-store.ts"
import { breakingAfter, chunksOf, readAll } from "./drive-store.ts"
import { holdBack } from "./hold-back.ts"
import { type OpenStores, openStores } from "./open-stores.ts"

const partSize = 8 * 1024 * 1024

let stores: OpenStores

beforeEach(async () => {
  stores = await openStores()
})
afterEach(() => stores.close())

const open = (removeAgainAfter: number): BlobStore => stores.open({ removeAgainAfter })

const listLeft = () => [...stores.double.objects.keys(), ...[...stores.double.uploads.values()].map(({ key }) => key)]

const listNoted = async (): Promise<ReadonlyArray<string>> => {
  const journal = stores.openJournal()
  const noted = await journal.listRemovals(Number.MAX_SAFE_INTEGER, 9)
  await journal.close()
  return noted.map(({ key }) => key)
}

/**
 * A process that is killed once a request of this operation has been sent. It happens when it is released, whatever has become
 * of its process.
 */
const killDuring = async (operation: string, size: number, end: number): Promise<() => void> => {
  const { arrived, release } = holdBack(stores.double, (request) => request.operation === operation)
  const content = randomBytes(size)
  const body = end < size ? breakingAfter(content.subarray(0, end)) : chunksOf(content)
  open(60_000)
    .append("key.1", { epoch: 1, offset: 0, size, body })
    .catch(() => {})
  await arrived
  // It lives in this process, and would tidy up.
  stores.double.onRequest(({ operation: next, count }) =>
    next === "AbortMultipartUpload" && count === 0 ? { kind: "answer", status: 403, code: "AccessDenied" } : undefined,
  )
  return release
}

/** How long after it a removal is repeated, ms: what is released has arrived by then. */
const soon = 2000

/** ms */
const patient = { timeout: 15_000 }

describe("what a killed process had sent", { timeout: 60_000 }, () => {
  // A tail is removed by its own writer, which still lives here.
  const cases = [
    ["a whole object", "PutObject", 1000, 1000],
    ["a multipart upload", "CreateMultipartUpload", 2 * partSize, 2 * partSize],
  ] as const

  it.each(cases)("is removed when it arrives after the removal: %s", async (_, operation, size, end) => {
    const release = await killDuring(operation, size, end)
    await open(soon).remove("key.1")
    expect(listLeft()).toEqual([])
    release()
    await vi.waitFor(() => expect(listLeft()).toHaveLength(1), patient)
    await vi.waitFor(() => expect(listLeft()).toEqual([]), patient)
    await vi.waitFor(async () => expect(await listNoted()).toEqual([]), patient)
  })

  it.each(cases)("is removed by the next process where that one ends too: %s", async (_, operation, size, end) => {
    const release = await killDuring(operation, size, end)
    const next = open(soon)
    await next.remove("key.1")
    await next.close()
    release()
    await vi.waitFor(() => expect(listLeft()).toHaveLength(1), patient)
    expect(await listNoted()).toEqual(["key.1"])
    open(soon)
    await vi.waitFor(() => expect(listLeft()).toEqual([]), patient)
    await vi.waitFor(async () => expect(await listNoted()).toEqual([]), patient)
  })

  it("is looked for again where the bucket was away at that time", async () => {
    const release = await killDuring("PutObject", 1000, 1000)
    await open(soon).remove("key.1")
    release()
    await vi.waitFor(() => expect(listLeft()).toHaveLength(1), patient)
    let count = 0
    stores.double.onRequest(({ operation }) =>
      operation === "ListObjectsV2" && count++ === 0
        ? { kind: "answer", status: 403, code: "AccessDenied" }
        : undefined,
    )
    await vi.waitFor(() => expect(listLeft()).toEqual([]), patient)
    expect(count).toBeGreaterThan(1)
  })
})

describe("a removal that is repeated", () => {
  it("is none where one writer has put the file, and ended", async () => {
    const store = open(60_000)
    for (const size of [1000, 2 * partSize]) {
      const content = randomBytes(size)
      await store.append("key.1", { epoch: 1, offset: 0, size, body: chunksOf(content) })
      await store.finish("key.1", { epoch: 1, size })
      const journal = stores.openJournal()
      await vi.waitFor(async () => expect(await journal.read("key.1")).toBeUndefined())
      await journal.close()
      await store.remove("key.1", { lastEpoch: 1 })
      expect(await listNoted()).toEqual([])
    }
  })

  it.each([2, undefined])(
    "is noted where a second writer was given its epoch and may come yet: %s",
    async (lastEpoch) => {
      const late = open(60_000)
      const store = open(200)
      await store.append("key.1", { epoch: 1, offset: 0, size: 1000, body: chunksOf(randomBytes(1000)) })
      await store.finish("key.1", { epoch: 1, size: 1000 })
      await store.remove("key.1", { lastEpoch })
      expect(await listNoted()).toEqual(["key.1"])
      await late.claim("key.1", 2)
      const journal = stores.openJournal()
      expect(await journal.read("key.1")).toBeDefined()
      await vi.waitFor(async () => expect(await journal.read("key.1")).toBeUndefined(), patient)
      await journal.close()
    },
  )

  it.each(["the removing process", "the process of the late writer", "both"])(
    "takes the row of a writer that comes late, whichever looks: %s",
    async (looking) => {
      const late = open(looking === "the removing process" ? 60_000 : 200)
      const store = open(200)
      // It has looked, and goes on to: something of its own is due.
      await late.remove("another")
      await store.remove("key.1", { lastEpoch: 2 })
      await late.claim("key.1", 2)
      if (looking === "the process of the late writer") await store.close()
      const journal = stores.openJournal()
      expect(await journal.read("key.1")).toBeDefined()
      await vi.waitFor(async () => expect(await journal.read("key.1")).toBeUndefined(), patient)
      await journal.close()
      if (looking !== "the removing process")
        await vi.waitFor(async () => expect(await listNoted()).toEqual([]), patient)
    },
  )

  it("does not end a writer of the process that looks, and takes what it leaves", async () => {
    // It looks when what it has noted itself is due.
    const remover = open(60_000)
    await remover.claim("another", 1)
    const late = open(200)
    await late.remove("another")
    await remover.remove("key.1", { lastEpoch: 2 })
    const body = Promise.withResolvers<void>()
    async function* slowly() {
      yield randomBytes(1000)
      await body.promise
    }
    const append = late.append("key.1", { epoch: 2, offset: 0, size: 2 * partSize, body: slowly() })
    // Noted anew, for later.
    const journal = stores.openJournal()
    const before = (await journal.listRemovals(Number.MAX_SAFE_INTEGER, 9)).find(({ key }) => key === "key.1")!
    await journal.noteRemoval({ key: "key.1", at: Date.now() })
    await vi.waitFor(async () => {
      const now = (await journal.listRemovals(Number.MAX_SAFE_INTEGER, 9)).find(({ key }) => key === "key.1")
      expect(now?.at).toBeGreaterThan(Date.now())
      expect(now?.at).not.toBe(before.at)
    }, patient)
    body.resolve()
    expect(await append).toMatchObject({ offset: 1000 })
    await vi.waitFor(() => expect(listLeft()).toEqual([]), patient)
    await vi.waitFor(async () => expect(await journal.read("key.1")).toBeUndefined(), patient)
    await journal.close()
  })

  it("is known no longer to a process that has noted it, once another one has done it", async () => {
    const journal = stores.openJournal()
    const forgotten: Array<string> = []
    const forgetRemoval: typeof journal.forgetRemoval = (key) => {
      forgotten.push(key)
      return journal.forgetRemoval(key)
    }
    const store = stores.open({ removeAgainAfter: 300 }, { ...journal, forgetRemoval })
    await store.remove("key.1")
    // Another process is faster.
    await journal.forgetRemoval("key.1")
    await store.remove("key.2")
    await vi.waitFor(() => expect(forgotten).toContain("key.2"), patient)
    await store.claim("key.1", 9)
    expect(forgotten).not.toContain("key.1")
  })

  it("is repeated by a process that has noted none, where that one is gone which did", async () => {
    const idle = open(200)
    await idle.claim("another", 1)
    const remover = open(300)
    await remover.remove("key.1")
    await remover.close()
    expect(await listNoted()).toEqual(["key.1"])
    await vi.waitFor(async () => expect(await listNoted()).toEqual([]), patient)
  })

  it("is noted where a newer writer has put it, and where one had to be ended", async () => {
    const store = open(60_000)
    await store.append("key.1", { epoch: 2, offset: 0, size: 10, body: chunksOf(randomBytes(10)) })
    await store.finish("key.1", { epoch: 2, size: 10 })
    await store.remove("key.1")
    stores.double.onRequest(({ operation }) => (operation === "PutObject" ? { kind: "hang" } : undefined))
    const append = store.append("key.2", { epoch: 1, offset: 0, size: 10, body: chunksOf(randomBytes(10)) })
    append.catch(() => {})
    await vi.waitFor(() => expect(stores.double.requests.at(-1)?.key).toBe("key.2/1"))
    await store.remove("key.2")
    expect(await listNoted()).toEqual(["key.1", "key.2"])
  })

  it("takes what a writer of another process leaves that did not know of it", async () => {
    const late = open(60_000)
    await late.probe()
    await open(200).remove("key.1")
    const size = 2 * partSize
    await late.append("key.1", { epoch: 1, offset: 0, size, body: breakingAfter(randomBytes(partSize + 1000)) })
    expect(listLeft()).not.toEqual([])
    await vi.waitFor(() => expect(listLeft()).toEqual([]), patient)
    const journal = stores.openJournal()
    await vi.waitFor(async () => expect(await journal.read("key.1")).toBeUndefined(), patient)
    await journal.close()
    await vi.waitFor(async () => expect(await listNoted()).toEqual([]), patient)
  })

  it("is not needed for a tail that its writer finds to be of no use", async () => {
    const late = open(60_000)
    const { arrived, release } = holdBack(stores.double, ({ operation }) => operation === "PutObject")
    const body = breakingAfter(randomBytes(1000))
    const append = late.append("key.1", { epoch: 1, offset: 0, size: 2 * partSize, body })
    const fenced = expect(append).rejects.toMatchObject({ reason: "fenced" })
    await arrived
    await open(60_000).remove("key.1")
    release()
    await fenced
    await vi.waitFor(() => expect(listLeft()).toEqual([]), patient)
  })

  it.each(["by the same process", "by the next one"])("takes nothing of a blob that was begun anew: %s", async (by) => {
    const store = open(300)
    await store.remove("key.1")
    const content = randomBytes(1000)
    if (by === "by the next one") await store.close()
    const writer = by === "by the next one" ? open(300) : store
    await writer.append("key.1", { epoch: 1, offset: 0, size: 1000, body: chunksOf(content) })
    const { ref } = await writer.finish("key.1", { epoch: 1, size: 1000 })
    await sleep(600)
    expect(Buffer.compare(await readAll(writer, "key.1", 1000, ref), content)).toBe(0)
    expect(await listNoted()).toEqual([])
  })
})
