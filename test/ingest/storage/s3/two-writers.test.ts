import { randomBytes } from "node:crypto"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import type { BlobStore } from "../../../../src/ingest/storage/blob-store.ts"
import { createS3BlobStore } from "../../../../src/ingest/storage/s3/blob-s3.ts"
import type { BlobJournal } from "../../../../src/ingest/storage/s3/journal/blob-journal.ts"
import { createMemoryBlobJournal } from "../../../../src/ingest/storage/s3/journal/memory.ts"
import { createSqliteBlobJournal } from "../../../../src/ingest/storage/s3/journal/sqlite.ts"
import { breakingAfter, chunksOf, readAll, reasonOf, sha256 } from "./drive-store.ts"
import { holdBack } from "./hold-back.ts"
import { type Double, startDouble } from "./start-double.ts"

const partSize = 8 * 1024 * 1024

let double: Double
let folder: string
let journal: BlobJournal
let stores: Array<BlobStore> = []

/** A store as a process of its own has it: they share bucket and journal, and know nothing of each other. */
const open = (
  own: BlobJournal = createSqliteBlobJournal({ file: join(folder, "journal.sqlite") }),
  memory?: number,
) => {
  const store = createS3BlobStore(
    { ...double.settings, prefix: "files/", journal: own, spill: folder },
    { firstWait: 1, memory },
  )
  stores.push(store)
  return store
}

beforeEach(async () => {
  double = await startDouble()
  folder = await mkdtemp(join(tmpdir(), "sluice-s3-"))
  journal = createSqliteBlobJournal({ file: join(folder, "journal.sqlite") })
})

afterEach(async () => {
  for (const store of stores) await store.close()
  stores = []
  await journal.close()
  await double.close()
  await rm(folder, { recursive: true })
})

it("a writer that comes once another has finished leaves no row of its own", async () => {
  const [first, late] = [open(), open()]
  const content = randomBytes(1000)
  await first.append("key", { epoch: 1, offset: 0, size: 1000, body: chunksOf(content) })
  await first.finish("key", { epoch: 1, size: 1000 })
  expect(await late.claim("key", 2)).toEqual({ size: 1000, isFinished: true })
  await vi.waitFor(async () => expect(await journal.read("key")).toBeUndefined())
  // It may still end the upload, and so may the next one.
  expect(await late.finish("key", { epoch: 2, size: 1000 })).toEqual({ digest: "", ref: "1" })
  expect(await open().claim("key", 3)).toEqual({ size: 1000, isFinished: true })
})

it("what cannot be tidied up after the end is tidied up later", async () => {
  const own = createSqliteBlobJournal({ file: join(folder, "journal.sqlite") })
  let failures = 0
  const store = open({
    ...own,
    forget: async (...asked) => {
      if (failures++ === 0) throw new Error("The database is away.")
      return own.forget(...asked)
    },
  })
  const size = 2 * partSize
  await store.append("key", { epoch: 1, offset: 0, size, body: chunksOf(randomBytes(size)) })
  await store.finish("key", { epoch: 1, size })
  expect(await journal.read("key")).toBeDefined()
  await vi.waitFor(async () => expect(await journal.read("key")).toBeUndefined(), { timeout: 15_000 })
  expect(failures).toBe(2)
})

it("what cannot be tidied up does not keep a store from closing", async () => {
  const own = createSqliteBlobJournal({ file: join(folder, "journal.sqlite") })
  const store = open({ ...own, forget: () => Promise.reject(new Error("The database is away.")) })
  const size = 2 * partSize
  await store.append("key", { epoch: 1, offset: 0, size, body: chunksOf(randomBytes(size)) })
  await store.finish("key", { epoch: 1, size })
  await store.close()
  expect(await journal.read("key")).toBeDefined()
})

/** A body that goes on once it is told to. */
async function* pausingAfter(content: Uint8Array, at: number, going: Promise<void>) {
  yield* chunksOf(content.subarray(0, at))
  await going
  yield* chunksOf(content.subarray(at))
}

/** All of a file, by one writer, as long as it takes until nothing of it is under way any more. */
const store = async (by: BlobStore, epoch: number, content: Uint8Array) => {
  const size = content.length
  const { size: offset } = await by.claim("key.1", epoch)
  await by.append("key.1", { epoch, offset, size, body: chunksOf(content.subarray(offset)), isHashed: true })
  const finished = await by.finish("key.1", { epoch, size, isHashed: true })
  await vi.waitFor(async () => expect(await journal.read("key.1")).toBeUndefined())
  return finished
}

const expectNothing = async (): Promise<void> => {
  expect([...double.objects.keys(), ...[...double.uploads.values()].map(({ key }) => key)]).toEqual([])
  expect(await journal.read("key.1")).toBeUndefined()
}

describe("an older writer in another process", () => {
  it.each([
    ["its multipart upload", "CreateMultipartUpload", 2 * partSize],
    ["a part", "UploadPart", 2 * partSize],
    ["a whole object", "PutObject", 100_000],
  ])("changes nothing of a file that a newer one has finished: %s was held back", async (_, operation, size) => {
    const [older, newer] = [open(), open()]
    const content = randomBytes(size)
    let count = 0
    const held = holdBack(double, (request) => request.operation === operation && count++ === 0)
    const late = older
      .append("key.1", { epoch: 1, offset: 0, size, body: chunksOf(randomBytes(size)) })
      .then(() => older.finish("key.1", { epoch: 1, size }))
    late.catch(() => {})
    await held.arrived
    const { digest, ref } = await store(newer, 2, content)
    expect(digest).toBe(sha256(content))
    held.release()
    await late.catch(() => {})
    expect(Buffer.compare(await readAll(newer, "key.1", size, ref), content)).toBe(0)
    expect(await journal.read("key.1")).toBeUndefined()
    expect([...double.uploads]).toEqual([])
    await newer.remove("key.1")
    await expectNothing()
  })

  it("changes nothing where its tail was held back", async () => {
    const [older, newer] = [open(), open()]
    const content = randomBytes(1000)
    const held = holdBack(double, ({ operation, key }) => operation === "PutObject" && key.includes("/t1."))
    const body = breakingAfter(content.subarray(0, 500))
    const late = reasonOf(older.append("key.1", { epoch: 1, offset: 0, size: 1000, body }))
    await held.arrived
    const { ref } = await store(newer, 2, content)
    held.release()
    expect(await late).toBe("fenced")
    expect(await journal.read("key.1")).toBeUndefined()
    expect(Buffer.compare(await readAll(newer, "key.1", 1000, ref), content)).toBe(0)
    await newer.remove("key.1")
    await expectNothing()
  })

  it("changes nothing where its completion was held back", async () => {
    const [older, newer] = [open(), open()]
    const size = partSize + 1000
    const content = randomBytes(size)
    await older.append("key.1", { epoch: 1, offset: 0, size, body: chunksOf(content), isHashed: true })
    let count = 0
    const held = holdBack(double, ({ operation }) => operation === "CompleteMultipartUpload" && count++ === 0)
    const late = older.finish("key.1", { epoch: 1, size, isHashed: true })
    await held.arrived
    expect(await newer.claim("key.1", 2)).toEqual({ size, isFinished: false })
    const finished = await newer.finish("key.1", { epoch: 2, size, isHashed: true })
    await vi.waitFor(async () => expect(await journal.read("key.1")).toBeUndefined())
    held.release()
    await late.catch(() => {})
    expect(finished.digest).toBe(sha256(content))
    expect(Buffer.compare(await readAll(newer, "key.1", size, finished.ref), content)).toBe(0)
    expect(await journal.read("key.1")).toBeUndefined()
    await newer.remove("key.1")
    await expectNothing()
  })

  it("does not write to the journal again, however late it goes on", async () => {
    const [older, newer] = [open(), open()]
    const size = 3 * partSize
    const content = randomBytes(size)
    const going = Promise.withResolvers<void>()
    const late = reasonOf(
      older.append("key.1", { epoch: 1, offset: 0, size, body: pausingAfter(content, partSize + 5, going.promise) }),
    )
    await vi.waitFor(async () => expect((await journal.read("key.1"))?.offset).toBe(partSize), 10_000)
    const { ref } = await store(newer, 2, content)
    going.resolve()
    expect(await late).toBe("fenced")
    expect(await journal.read("key.1")).toBeUndefined()
    expect(Buffer.compare(await readAll(newer, "key.1", size, ref), content)).toBe(0)
  })

  it("does not bring back what a newer one has removed", async () => {
    const [older, newer] = [open(), open()]
    const size = 2 * partSize
    const going = Promise.withResolvers<void>()
    const body = pausingAfter(randomBytes(size), partSize, going.promise)
    const late = reasonOf(older.append("key.1", { epoch: 1, offset: 0, size, body }))
    await vi.waitFor(async () => expect((await journal.read("key.1"))?.offset).toBe(partSize), 10_000)
    await newer.remove("key.1")
    going.resolve()
    expect(await late).toBe("fenced")
    await expectNothing()
  })

  it("completes its upload just when a newer one looks for it: no byte is sent again", async () => {
    const [older, newer] = [open(), open()]
    const size = partSize + 1000
    const content = randomBytes(size)
    await older.append("key.1", { epoch: 1, offset: 0, size, body: chunksOf(content) })
    const [arrived, released] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    double.onRequest(async ({ operation, count }) => {
      if (operation === "ListParts") {
        released.resolve()
        await vi.waitFor(() => expect(double.uploads.size).toBe(0))
      }
      if (operation !== "CompleteMultipartUpload") return
      if (count > 0) return { kind: "answer", status: 503 }
      arrived.resolve()
      await released.promise
    })
    const late = older.finish("key.1", { epoch: 1, size })
    await arrived.promise
    await newer.claim("key.1", 2)
    const { ref } = await newer.finish("key.1", { epoch: 2, size })
    expect(Buffer.compare(await readAll(newer, "key.1", size, ref), content)).toBe(0)
    await late
  })
})

describe("the next process", () => {
  it("finds the whole of a file of one part that came in two requests", async () => {
    const content = randomBytes(1000)
    const first = open()
    const body = breakingAfter(content.subarray(0, 500))
    await first.append("key.1", { epoch: 1, offset: 0, size: 1000, body })
    await first.claim("key.1", 2)
    await first.append("key.1", { epoch: 2, offset: 500, size: 1000, body: chunksOf(content.subarray(500)) })
    expect(await first.claim("key.1", 3)).toEqual({ size: 1000, isFinished: true })
    // An offset that was named never goes back.
    const next = open()
    expect(await next.claim("key.1", 4)).toEqual({ size: 1000, isFinished: true })
    const { digest, ref } = await next.finish("key.1", { epoch: 4, size: 1000, isHashed: true })
    expect([digest, ref]).toEqual([sha256(content), "2"])
  })

  it("reads the beginning of a small file that is whole, and not committed", async () => {
    const content = randomBytes(1000)
    await open().append("key.1", { epoch: 1, offset: 0, size: 1000, body: chunksOf(content) })
    const next = open()
    expect((await next.claim("key.1", 2)).size).toBe(1000)
    expect(Buffer.compare(await readAll(next, "key.1", 1000), content)).toBe(0)
    // Also one that was not asked for its state.
    expect(Buffer.compare(await readAll(open(), "key.1", 1000), content)).toBe(0)
  })

  it("reads the beginning of a file whose first part failed", async () => {
    const size = 2 * partSize
    const content = randomBytes(size)
    double.onRequest(({ operation }) => (operation === "UploadPart" ? { kind: "answer", status: 500 } : undefined))
    await open()
      .append("key.1", { epoch: 1, offset: 0, size, body: chunksOf(content) })
      .catch(() => {})
    const next = open()
    expect((await next.claim("key.1", 2)).size).toBe(0)
    await next.append("key.1", { epoch: 2, offset: 0, size, body: breakingAfter(content.subarray(0, 3000)) })
    expect(double.uploads.size).toBe(1)
    expect(Buffer.compare(await readAll(next, "key.1", 3000), content.subarray(0, 3000))).toBe(0)
  })

  it("keeps the parts where only the tail is lost", async () => {
    const size = 2 * partSize
    const content = randomBytes(size)
    const body = breakingAfter(content.subarray(0, partSize + 7))
    await open().append("key.1", { epoch: 1, offset: 0, size, body })
    double.objects.clear()
    const next = open()
    await next.claim("key.1", 2)
    const rest = chunksOf(content.subarray(partSize + 7))
    expect(await reasonOf(next.append("key.1", { epoch: 2, offset: partSize + 7, size, body: rest }))).toBe("io")
    expect(await next.claim("key.1", 3)).toEqual({ size: partSize, isFinished: false })
    const again = chunksOf(content.subarray(partSize))
    await next.append("key.1", { epoch: 3, offset: partSize, size, body: again })
    const { ref } = await next.finish("key.1", { epoch: 3, size })
    expect(Buffer.compare(await readAll(next, "key.1", size, ref), content)).toBe(0)
  })

  it("goes on reading where an answer breaks off", async () => {
    const size = partSize + 3_000_000
    const content = randomBytes(size)
    const body = breakingAfter(content.subarray(0, 3_000_000))
    await open().append("key.1", { epoch: 1, offset: 0, size, body })
    const next = open()
    await next.claim("key.1", 2)
    // Of the tail, and of the whole that is hashed.
    double.onRequest(({ operation, count }) =>
      operation === "GetObject" && count % 2 === 0 ? { kind: "cut-answer", after: 100_000 } : undefined,
    )
    const rest = chunksOf(content.subarray(3_000_000))
    await next.append("key.1", { epoch: 2, offset: 3_000_000, size, body: rest })
    const { digest } = await next.finish("key.1", { epoch: 2, size, isHashed: true })
    expect(digest).toBe(sha256(content))
  })
})

describe("a removal", () => {
  it.each(["while it is unfinished", "once it is finished"])(
    "takes a multipart upload whose answer was lost: %s",
    async (when) => {
      const by = open()
      const size = 2 * partSize
      double.onRequest(({ operation, count }) =>
        operation === "CreateMultipartUpload" && count === 0 ? { kind: "lose-answer" } : undefined,
      )
      const isFinished = when === "once it is finished"
      const content = randomBytes(size)
      const body = isFinished ? chunksOf(content) : breakingAfter(content.subarray(0, partSize + 1))
      await by.append("key.1", { epoch: 1, offset: 0, size, body })
      if (isFinished) await by.finish("key.1", { epoch: 1, size })
      await by.remove("key.1")
      await expectNothing()
    },
  )

  it.each([
    ["a multipart upload", "CreateMultipartUpload"],
    ["a part", "UploadPart"],
    ["a whole object", "PutObject"],
  ])("waits for what is under way, and leaves nothing: %s", async (_, operation) => {
    const by = open()
    const size = operation === "PutObject" ? 1000 : 2 * partSize
    const held = holdBack(double, (request) => request.operation === operation)
    const append = by.append("key.1", { epoch: 1, offset: 0, size, body: chunksOf(randomBytes(size)) })
    append.catch(() => {})
    await held.arrived
    const removed = by.remove("key.1")
    await sleep(50)
    held.release()
    await removed
    expect(await reasonOf(append)).toBe("fenced")
    await expectNothing()
  })

  it.each([
    ["a multipart upload", "CreateMultipartUpload", 2 * partSize],
    ["a part", "UploadPart", 2 * partSize],
    ["a whole object", "PutObject", 1000],
    ["a tail", "PutObject", 2 * partSize],
  ])("ends what hangs, and does not wait for its tries: %s", async (what, operation, size) => {
    const by = open()
    const arrived = Promise.withResolvers<void>()
    double.onRequest((request) => {
      if (request.operation !== operation) return
      arrived.resolve()
      return { kind: "hang" }
    })
    const content = randomBytes(size)
    const body = what === "a tail" ? breakingAfter(content.subarray(0, 1000)) : chunksOf(content)
    const append = by.append("key.1", { epoch: 1, offset: 0, size, body })
    append.catch(() => {})
    await arrived.promise
    await by.remove("key.1")
    expect(await reasonOf(append)).toBe("fenced")
    await expectNothing()
  })

  it("leaves nothing of a request that waits for its turn", async () => {
    const by = open()
    let count = 0
    const all = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    double.onRequest(async ({ operation, key }) => {
      if (operation !== "PutObject" || key.includes("key.1/")) return
      if (++count === 64) all.resolve()
      await released.promise
    })
    const put = (key: string) => by.append(key, { epoch: 1, offset: 0, size: 3, body: chunksOf(randomBytes(3)) })
    const others = Array.from({ length: 64 }, (_, index) => put(`other.${index}`))
    await all.promise
    const append = put("key.1")
    append.catch(() => {})
    await sleep(50)
    await by.remove("key.1")
    released.resolve()
    await Promise.all(others)
    expect(await reasonOf(append)).toBe("fenced")
    expect([...double.objects.keys()].filter((name) => name.includes("key.1/"))).toEqual([])
  })

  it("leaves no row that was being written", async () => {
    const memory = createMemoryBlobJournal()
    const writing = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const by = open({
      ...memory,
      write: async (...args) => {
        writing.resolve()
        await released.promise
        return memory.write(...args)
      },
    })
    const append = by.append("key.1", { epoch: 1, offset: 0, size: 1000, body: breakingAfter(randomBytes(500)) })
    append.catch(() => {})
    await writing.promise
    const removed = by.remove("key.1")
    await sleep(50)
    released.resolve()
    await removed
    expect(await reasonOf(append)).toBe("fenced")
    expect(await memory.read("key.1")).toBeUndefined()
    await expectNothing()
  })
})

it("takes slow clients that together have far more than its memory", async () => {
  const by = open(undefined, 100_000)
  const size = partSize + 50_000
  const contents = Array.from({ length: 6 }, () => randomBytes(size))
  async function* slowly(content: Uint8Array) {
    for await (const chunk of chunksOf(content, 500_000)) {
      yield chunk
      await sleep(1)
    }
  }
  await Promise.all(
    contents.map(async (content, index) => {
      const key = `key.${index}`
      const cut = 4_000_000 + index
      await by.append(key, { epoch: 1, offset: 0, size, body: breakingAfter(content.subarray(0, cut)), isHashed: true })
      const body = slowly(content.subarray(cut))
      await by.append(key, { epoch: 1, offset: cut, size, body, isHashed: true })
      const { digest, ref } = await by.finish(key, { epoch: 1, size, isHashed: true })
      expect(digest).toBe(sha256(content))
      expect(Buffer.compare(await readAll(by, key, size, ref), content)).toBe(0)
    }),
  )
  expect((await readdir(folder)).filter((name) => !name.startsWith("journal."))).toEqual([])
})

it("does not lose a tail to the late deletion of an earlier one", async () => {
  const by = open()
  const size = 2 * partSize
  const content = randomBytes(size)
  const cut = 1_000_000
  const begin = () =>
    by.append("key.1", { epoch: 1, offset: 0, size, body: breakingAfter(content.subarray(0, cut)), isHashed: true })
  await begin()
  const held = holdBack(double, ({ operation }) => operation === "DeleteObject")
  // The part has its bytes, so it is deleted. Then the bucket aborts the upload, and the same bytes come again.
  const more = content.subarray(cut, partSize + 5)
  await by.append("key.1", { epoch: 1, offset: cut, size, body: breakingAfter(more), isHashed: true })
  await held.arrived
  double.uploads.clear()
  const lost = content.subarray(partSize + 5)
  expect(await reasonOf(by.append("key.1", { epoch: 1, offset: partSize + 5, size, body: chunksOf(lost) }))).toBe("io")
  await begin()
  held.release()
  await vi.waitFor(() => expect(double.requests.filter(({ operation }) => operation === "DeleteObject").length).toBe(2))
  await sleep(50)
  const rest = chunksOf(content.subarray(cut))
  await by.append("key.1", { epoch: 1, offset: cut, size, body: rest, isHashed: true })
  const { digest } = await by.finish("key.1", { epoch: 1, size, isHashed: true })
  expect(digest).toBe(sha256(content))
})

it("does not give the digest of bytes that another process has replaced", async () => {
  const size = 2 * partSize
  const [mine, theirs] = [randomBytes(size), randomBytes(size)]
  const [one, two] = [open(), open()]
  const append = (store: BlobStore, epoch: number, content: Uint8Array) =>
    store.append("key.1", { epoch, offset: 0, size, body: chunksOf(content), isHashed: true })
  await append(one, 1, mine)
  // The bucket aborts the upload; the next process begins anew, and ends before it has finished.
  await two.claim("key.1", 2)
  double.uploads.clear()
  await two.finish("key.1", { epoch: 2, size }).catch(() => {})
  await two.claim("key.1", 3)
  await append(two, 3, theirs)
  await one.claim("key.1", 4)
  const { digest } = await one.finish("key.1", { epoch: 4, size, isHashed: true })
  expect(digest).toBe(sha256(theirs))
})
