import { randomBytes } from "node:crypto"
import { mkdtemp, readdir, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, it, test } from "vitest"
import { testBlobStore } from "../../../../src/conformance.ts"
import type { BlobStore } from "../../../../src/ingest.ts"
import { createS3BlobStore } from "../../../../src/ingest/storage/s3/blob-s3.ts"
import type { BlobJournal } from "../../../../src/ingest/storage/s3/journal/blob-journal.ts"
import { createMemoryBlobJournal } from "../../../../src/ingest/storage/s3/journal/memory.ts"
import { createSqliteBlobJournal } from "../../../../src/ingest/storage/s3/journal/sqlite.ts"
import { breakingAfter, chunksOf, expectStored, readAll, reasonOf, sha256 } from "./drive-store.ts"
import { type Double, startDouble } from "./start-double.ts"

const mebibyte = 1024 * 1024
const partSize = 8 * mebibyte
/** Waits between tries that no test has to sit through. */
const tuning = { firstWait: 1 }

let double: Double
let folder: string
let stores: Array<BlobStore> = []

const open = (journal: BlobJournal = createSqliteBlobJournal({ file: join(folder, "journal.sqlite") })): BlobStore => {
  const store = createS3BlobStore({ ...double.settings, prefix: "files/", journal, spill: folder }, tuning)
  stores.push(store)
  return store
}

const setUp = async (): Promise<void> => {
  double = await startDouble()
  folder = await mkdtemp(join(tmpdir(), "sluice-s3-"))
}

const cleanUp = async (): Promise<void> => {
  for (const store of stores) await store.close()
  stores = []
  await double.close()
  await rm(folder, { recursive: true })
}

testBlobStore({ describe, test }, "S3 with a journal in SQLite", {
  create: async () => {
    await setUp()
    return open()
  },
  reopen: async () => open(),
  cleanUp,
})

testBlobStore({ describe, test }, "S3 with a journal in memory", {
  create: async () => {
    await setUp()
    return open(createMemoryBlobJournal())
  },
  cleanUp,
})

/** The requests that were made, by operation. */
const countRequests = () => {
  const counts: Record<string, number> = {}
  for (const { operation } of double.requests) counts[operation] = (counts[operation] ?? 0) + 1
  return counts
}

describe("an S3 blob store", () => {
  beforeEach(setUp)
  afterEach(cleanUp)

  it("puts a file of one part by one request, and nothing else", async () => {
    const store = open()
    const content = randomBytes(100_000)
    await store.append("key.1", { epoch: 1, offset: 0, size: 100_000, body: chunksOf(content), isHashed: true })
    const finished = await store.finish("key.1", { epoch: 1, size: 100_000, isHashed: true })
    expect(finished).toEqual({ digest: sha256(content), ref: "1" })
    expect(countRequests()).toEqual({ PutObject: 1 })
    expect([...double.objects.keys()]).toEqual(["files/key.1/1"])
  })

  it("has stored nothing where somebody in between answers for the bucket", async () => {
    const store = open()
    const content = randomBytes(1000)
    const append = () => store.append("key.1", { epoch: 1, offset: 0, size: 1000, body: chunksOf(content) })
    for (const text of ["<html>Please log in</html>", ""]) {
      double.onRequest(() => ({ kind: "answer", status: 200, text, headers: { "content-type": "text/html" } }))
      expect(await reasonOf(append())).toBe("io")
    }
    double.onRequest()
    await append()
    await store.finish("key.1", { epoch: 1, size: 1000 })
    expect([...double.objects.keys()]).toEqual(["files/key.1/1"])
    double.onRequest(() => ({ kind: "answer", status: 200, text: "<html>Please log in</html>" }))
    expect(await reasonOf(store.remove("key.1"))).toBe("io")
    double.onRequest()
    await store.remove("key.1")
    expect(double.objects.size).toBe(0)
  })

  it("sends a large file in parts of one size, and leaves nothing beside it", async () => {
    const store = open()
    const size = 3 * partSize + 5
    const content = randomBytes(size)
    await store.append("key.1", { epoch: 1, offset: 0, size, body: chunksOf(content), isHashed: true })
    const { digest, ref } = await store.finish("key.1", { epoch: 1, size, isHashed: true })
    expect(digest).toBe(sha256(content))
    expect(countRequests()).toEqual({ CreateMultipartUpload: 1, UploadPart: 4, CompleteMultipartUpload: 1 })
    expect(Buffer.compare(await readAll(store, "key.1", size, ref), content)).toBe(0)
    await store.close()
    expect([...double.objects.keys()]).toEqual(["files/key.1/1"])
    expect(double.uploads.size).toBe(0)
  })

  it("writes parts down at most four times a second, however fast they come", async () => {
    const journal = createMemoryBlobJournal()
    const written: Array<number> = []
    const store = open({
      ...journal,
      write: async (key, epoch, change) => {
        if (change.add !== undefined) written.push(performance.now())
        return journal.write(key, epoch, change)
      },
    })
    const size = 40 * partSize
    const chunk = new Uint8Array(partSize)
    const body = (async function* () {
      for (let sent = 0; sent < size; sent += partSize) yield chunk
    })()
    await store.append("key.1", { epoch: 1, offset: 0, size, body })
    // The last ones are written down before the answer.
    const paced = written.slice(0, -1)
    expect(paced.length).toBeGreaterThan(1)
    // One that a busy machine has begun late may be closer to the next.
    expect(paced.length - 2).toBeLessThanOrEqual((paced.at(-1)! - paced[0]!) / 249)
  })

  it("goes on from the last byte that came, in another process, and hashes the whole again", async () => {
    const size = 2 * partSize + 1000
    const content = randomBytes(size)
    const cut = partSize + 3_000_000
    const first = open()
    const body = breakingAfter(content.subarray(0, cut))
    const { offset } = await first.append("key.1", { epoch: 1, offset: 0, size, body, isHashed: true })
    expect(offset).toBe(cut)
    expect([...double.objects.keys()]).toEqual([expect.stringMatching(`^files/key\\.1/t1\\.${cut}\\.\\w{8}$`)])
    const second = open()
    expect(await second.claim("key.1", 2)).toEqual({ size: cut, isFinished: false })
    const rest = chunksOf(content.subarray(cut))
    await second.append("key.1", { epoch: 2, offset: cut, size, body: rest, isHashed: true })
    await expectStored(second, await second.finish("key.1", { epoch: 2, size, isHashed: true }), content)
    await second.close()
    // The tail and the row are gone.
    expect([...double.objects.keys()]).toEqual(["files/key.1/1"])
  })

  it("names no byte behind a part that failed, and ends with the right bytes", async () => {
    const store = open()
    const size = 4 * partSize
    const content = randomBytes(size)
    double.onRequest(({ operation, partNumber }) =>
      operation === "UploadPart" && partNumber === 2 ? { kind: "answer", status: 500 } : undefined,
    )
    const append = { epoch: 1, offset: 0, size, body: chunksOf(content), isHashed: true }
    expect(await reasonOf(store.append("key.1", append))).toBe("io")
    const [upload] = double.uploads.values()
    expect([1, 2, 3].map((number) => upload!.parts.has(number))).toEqual([true, false, true])
    double.onRequest()
    expect(await store.claim("key.1", 2)).toEqual({ size: partSize, isFinished: false })
    const rest = chunksOf(content.subarray(partSize))
    await store.append("key.1", { epoch: 2, offset: partSize, size, body: rest, isHashed: true })
    await expectStored(store, await store.finish("key.1", { epoch: 2, size, isHashed: true }), content)
  })

  /** Two parts that are stored and not yet one object. */
  const storeTwoParts = async (store: BlobStore) => {
    const size = partSize + 1000
    const content = randomBytes(size)
    await store.append("key.1", { epoch: 1, offset: 0, size, body: chunksOf(content), isHashed: true })
    return { size, content, finish: (epoch = 1) => store.finish("key.1", { epoch, size, isHashed: true }) }
  }

  for (const [what, fault] of [
    ["a completion whose answer was lost", { kind: "lose-answer" }],
    ["a completion that was cut off before anything happened", { kind: "cut" }],
    ["a 200 that has an error in it", { kind: "error-inside", code: "InternalError" }],
  ] as const) {
    it(`comes to an end after ${what}`, async () => {
      const store = open()
      const { content, finish } = await storeTwoParts(store)
      double.onRequest(({ operation, count }) =>
        operation === "CompleteMultipartUpload" && count === 0 ? fault : undefined,
      )
      await expectStored(store, await finish(), content)
    })
  }

  it("finds a completion that its process did not live to see", async () => {
    const store = open()
    const { size, content, finish } = await storeTwoParts(store)
    double.onRequest(({ operation }) => {
      if (operation === "CompleteMultipartUpload") return { kind: "lose-answer" }
      return operation === "HeadObject" ? { kind: "answer", status: 503 } : undefined
    })
    expect(await reasonOf(finish())).toBe("io")
    double.onRequest()
    const next = open()
    expect(await next.claim("key.1", 2)).toEqual({ size, isFinished: true })
    await expectStored(next, await next.finish("key.1", { epoch: 2, size, isHashed: true }), content)
  })

  it("completes again what was not completed, in another process", async () => {
    const store = open()
    const { size, content, finish } = await storeTwoParts(store)
    double.onRequest(({ operation }) =>
      operation === "CompleteMultipartUpload" ? { kind: "answer", status: 503 } : undefined,
    )
    expect(await reasonOf(finish())).toBe("io")
    double.onRequest()
    const next = open()
    expect(await next.claim("key.1", 2)).toEqual({ size, isFinished: false })
    await expectStored(next, await next.finish("key.1", { epoch: 2, size, isHashed: true }), content)
  })

  it("goes back to the first part that is not as it was sent, and replaces it", async () => {
    const store = open()
    const size = 3 * partSize
    const content = randomBytes(size)
    await store.append("key.1", { epoch: 1, offset: 0, size, body: chunksOf(content), isHashed: true })
    const [upload] = double.uploads.values()
    upload!.parts.set(2, { bytes: Buffer.alloc(partSize, 7), etag: '"0123456789abcdef0123456789abcdef"' })
    expect(await reasonOf(store.finish("key.1", { epoch: 1, size, isHashed: true }))).toBe("offset")
    expect(await store.claim("key.1", 2)).toEqual({ size: partSize, isFinished: false })
    const rest = chunksOf(content.subarray(partSize))
    await store.append("key.1", { epoch: 2, offset: partSize, size, body: rest, isHashed: true })
    await expectStored(store, await store.finish("key.1", { epoch: 2, size, isHashed: true }), content)
  })

  it.each(["while parts are sent", "when it is completed"])(
    "begins anew where the bucket has aborted the upload: %s",
    async (when) => {
      const store = open()
      const size = 2 * partSize
      const content = randomBytes(size)
      const isEarly = when === "while parts are sent"
      const cut = isEarly ? partSize + 1 : size
      const body = isEarly ? breakingAfter(content.subarray(0, cut)) : chunksOf(content)
      await store.append("key.1", { epoch: 1, offset: 0, size, body })
      double.uploads.clear()
      const next = isEarly
        ? store.append("key.1", { epoch: 1, offset: cut, size, body: chunksOf(content.subarray(cut)) })
        : store.finish("key.1", { epoch: 1, size })
      expect(await reasonOf(next)).toBe("io")
      expect(await store.claim("key.1", 2)).toEqual({ size: 0, isFinished: false })
      await store.append("key.1", { epoch: 2, offset: 0, size, body: chunksOf(content) })
      const { ref } = await store.finish("key.1", { epoch: 2, size })
      expect(Buffer.compare(await readAll(store, "key.1", size, ref), content)).toBe(0)
    },
  )

  it("finds a whole object whose process died before the catalog heard of it", async () => {
    const content = randomBytes(5000)
    await open().append("key.1", { epoch: 1, offset: 0, size: 5000, body: chunksOf(content) })
    const next = open()
    expect(await next.claim("key.1", 2)).toEqual({ size: 5000, isFinished: true })
    const { digest, ref } = await next.finish("key.1", { epoch: 2, size: 5000, isHashed: true })
    expect([digest, ref]).toEqual([sha256(content), "1"])
  })

  it("leaves nothing of what it removes, whatever state it is in", async () => {
    const store = open()
    const content = randomBytes(partSize + 10)
    const size = 2 * partSize
    await store.append("tail.1", { epoch: 1, offset: 0, size, body: breakingAfter(content) })
    await store.append("small.1", { epoch: 1, offset: 0, size: 10, body: chunksOf(content.subarray(0, 10)) })
    await store.append("begun.1", { epoch: 1, offset: 0, size: 10, body: breakingAfter(content.subarray(0, 9)) })
    // A process that ended right after it had begun an upload: only the bucket knows of it.
    double.uploads.set("orphan", { key: "files/orphan.1/1", initiatedAt: Date.now(), parts: new Map() })
    for (const key of ["tail.1", "small.1", "begun.1", "orphan.1", "unknown.1"]) await store.remove(key)
    expect([...double.objects.keys(), ...double.uploads.keys()]).toEqual([])
  })

  it("spills what has no room in memory to files without a name", async () => {
    const journal = createMemoryBlobJournal()
    const content = randomBytes(partSize + 70_000)
    const size = content.length
    const crowd = createS3BlobStore({ ...double.settings, journal, spill: folder }, { ...tuning, memory: 100_000 })
    stores.push(crowd)
    await crowd.append("key.1", { epoch: 1, offset: 0, size, body: chunksOf(content), isHashed: true })
    await expectStored(crowd, await crowd.finish("key.1", { epoch: 1, size, isHashed: true }), content)
    expect(await readdir(folder)).toEqual([])
    // It did go there: where there is no such folder, the same bytes find no room.
    const missing = join(folder, "missing")
    const nowhere = createS3BlobStore({ ...double.settings, journal, spill: missing }, { ...tuning, memory: 100_000 })
    stores.push(nowhere)
    expect(await reasonOf(nowhere.append("key.2", { epoch: 1, offset: 0, size, body: chunksOf(content) }))).toBe("io")
  })

  it("writes to the journal a few times a second, however small and many the chunks are", async () => {
    const memory = createMemoryBlobJournal()
    let writes = 0
    const journal: BlobJournal = { ...memory, write: (...args) => memory.write(...args).finally(() => writes++) }
    const store = open(journal)
    const size = 6 * partSize
    const startedAt = performance.now()
    await store.append("key.1", { epoch: 1, offset: 0, size, body: chunksOf(Buffer.alloc(size, 1), 65_536) })
    const seconds = (performance.now() - startedAt) / 1000
    await store.finish("key.1", { epoch: 1, size })
    // The upload's id, its parts as they end, what is left at the end, and that it is completed.
    expect(writes).toBeLessThanOrEqual(3 + Math.ceil(seconds * 4))
  })

  it("does not take a blob for missing because its bucket is", async () => {
    const store = open()
    const read = () => store.read("key.1", { start: 0, end: 2, ref: "1" })
    expect(await reasonOf(read())).toBe("missing")
    double.onRequest(() => ({ kind: "answer", status: 404, code: "NoSuchBucket" }))
    expect(await reasonOf(read())).toBe("io")
  })

  it("fails as a store where an object breaks off while it is read", async () => {
    const store = open()
    await store.append("key.1", { epoch: 1, offset: 0, size: 9, body: chunksOf(randomBytes(9)) })
    const { ref } = await store.finish("key.1", { epoch: 1, size: 9 })
    double.onRequest(({ operation }) => (operation === "GetObject" ? { kind: "cut-answer", after: 4 } : undefined))
    const body = await store.read("key.1", { start: 0, end: 8, ref })
    expect(await reasonOf(new Response(body as BodyInit).bytes())).toBe("io")
  })

  it("says that the bucket is full, or away, in words of its own", async () => {
    const store = open()
    const append = () => store.append("key.1", { epoch: 1, offset: 0, size: 3, body: chunksOf(randomBytes(3)) })
    double.onRequest(() => ({ kind: "answer", status: 403, code: "QuotaExceeded" }))
    expect(await reasonOf(append())).toBe("full")
    double.onRequest(() => ({ kind: "cut" }))
    expect(await reasonOf(append())).toBe("io")
    expect(await reasonOf(store.probe())).toBe("io")
    double.onRequest()
    await append()
    await store.probe()
  })
})
