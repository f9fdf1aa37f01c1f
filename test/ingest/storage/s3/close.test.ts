import { expect, it, onTestFinished, vi } from "vitest"
import { createS3BlobStore } from "../../../../src/ingest/storage/s3/blob-s3.ts"
import { createS3Client } from "../../../../src/ingest/storage/s3/client/s3-client.ts"
import { createMemoryBlobJournal } from "../../../../src/ingest/storage/s3/journal/memory.ts"
import { chunksOf, reasonOf } from "./drive-store.ts"
import { startDouble } from "./start-double.ts"

const setUp = async () => {
  const double = await startDouble()
  onTestFinished(double.close)
  return double
}

const content = new Uint8Array(1000)

it("a store that is closed gives up what it has under way at a bucket that hangs", async () => {
  const double = await setUp()
  const store = createS3BlobStore({ ...double.settings, journal: createMemoryBlobJournal() })
  const write = (key: string) => store.append(key, { epoch: 1, offset: 0, size: 1000, body: chunksOf(content) })
  for (const key of ["read.1", "removed.1"]) {
    await write(key)
    await store.finish(key, { epoch: 1, size: 1000 })
  }
  double.onRequest(({ operation }) => (operation === "GetObject" ? { kind: "stall-answer", after: 10 } : undefined))
  const body = await store.read("read.1", { start: 0, end: 999, ref: "1" })
  double.onRequest(() => ({ kind: "hang" }))
  const before = double.requests.length
  const underWay = [
    write("written.1"),
    store.claim("claimed.1", 1),
    store.remove("removed.1", { lastEpoch: 1 }),
    store.read("read.1", { start: 0, end: 999, ref: "1" }),
    store.probe(),
    new Response(body as ReadableStream<Uint8Array<ArrayBuffer>>).bytes(),
  ].map(reasonOf)
  await vi.waitFor(() => expect(double.requests.length).toBe(before + 5))
  await store.close()
  expect(await Promise.all(underWay)).toEqual(underWay.map(() => "io"))
  expect(double.requests.length).toBe(before + 5)
})

it("a store that is closed tidies up what it can", async () => {
  const double = await setUp()
  const store = createS3BlobStore({ ...double.settings, journal: createMemoryBlobJournal() })
  const half = content.subarray(0, 500)
  await store.append("key.1", { epoch: 1, offset: 0, size: 1000, body: chunksOf(half) })
  await store.append("key.1", { epoch: 1, offset: 500, size: 1000, body: chunksOf(half) })
  await store.finish("key.1", { epoch: 1, size: 1000 })
  await store.close()
  expect([...double.objects.keys()]).toEqual(["key.1/1"])
})

it("a client that is closed waits neither for credentials nor for its next try", async () => {
  const double = await setUp()
  const silent = createS3Client({ ...double.settings, credentials: () => new Promise(() => {}) })
  const asked = silent.headBucket()
  double.onRequest(() => ({ kind: "answer", status: 503 }))
  const waiting = createS3Client(double.settings, { firstWait: 1_000_000 })
  const tried = waiting.headBucket()
  await vi.waitFor(() => expect(double.requests.length).toBe(1))
  silent.close()
  waiting.close()
  await expect(asked).rejects.toThrow("was closed")
  await expect(tried).rejects.toThrow("was closed")
  await expect(waiting.headBucket()).rejects.toThrow("was closed")
})
