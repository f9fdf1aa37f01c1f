import { createHash } from "node:crypto"
import { expect, it, onTestFinished } from "vitest"
import { createDiskBlobStore, createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../../src/ingest.ts"
import { createGrant, eventually, putRaw, randomContent, sign, startIngest, token } from "../circle.ts"
import { makeFolder } from "../../make-folder.ts"

const megabyte = 1024 * 1024

/** A body of `size` bytes, made as it is pulled. */
const generate = (size: number, onPull: (bytes: number) => void, before?: Uint8Array, after?: Uint8Array) => {
  const chunk = randomContent(64 * 1024)
  const hash = createHash("sha256")
  let left = size
  const stream = new ReadableStream<Uint8Array>(
    {
      start: (controller) => (before === undefined ? undefined : controller.enqueue(before)),
      pull: (controller) => {
        if (left === 0) {
          if (after !== undefined) controller.enqueue(after)
          return controller.close()
        }
        const piece = chunk.slice(0, Math.min(chunk.length, left))
        left -= piece.length
        hash.update(piece)
        onPull(piece.length)
        controller.enqueue(piece)
      },
    },
    { highWaterMark: 0 },
  )
  return { stream, digest: () => hash.digest("hex") }
}

it("goes through with no more in memory than a few batches, as a form", async () => {
  const folder = await makeFolder()
  const size = 256 * megabyte
  let pulled = 0
  let stored = 0
  let mostInFlight = 0
  const disk = createDiskBlobStore({ folder })
  async function* watch(body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      stored += chunk.length
      yield chunk
    }
  }
  const url = "http://ingest.example"
  const ingest = createIngest({
    token,
    url,
    logLevel: "None",
    catalog: createMemoryCatalog(),
    store: { ...disk, append: (key, append) => disk.append(key, { ...append, body: watch(append.body) }) },
  })
  onTestFinished(ingest.close)
  const encoder = new TextEncoder()
  const { stream, digest } = generate(
    size,
    (bytes) => {
      pulled += bytes
      mostInFlight = Math.max(mostInFlight, pulled - stored)
    },
    encoder.encode(`--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\n`),
    encoder.encode("\r\n--b--\r\n"),
  )
  const signed = await sign(url, createGrant({ size, type: "application/octet-stream" }))
  const response = await ingest.fetch(
    new Request(signed, {
      method: "PUT",
      body: stream,
      headers: { "content-type": "multipart/form-data; boundary=b" },
      duplex: "half",
    } as RequestInit),
  )
  expect(response.status).toBe(200)
  expect((await response.json()).fileHash).toBe(digest())
  expect(mostInFlight).toBeLessThan(megabyte)
}, 60_000)

it("is not pulled out of the socket faster than the store takes it", async () => {
  const memory = createMemoryBlobStore()
  const gate = Promise.withResolvers<void>()
  let taken = 0
  async function* slowly(body: AsyncIterable<Uint8Array>) {
    for await (const chunk of body) {
      taken += chunk.length
      if (taken > megabyte) await gate.promise
      yield chunk
    }
  }
  const { url } = await startIngest({
    store: { ...memory, append: (key, append) => memory.append(key, { ...append, body: slowly(append.body) }) },
  })
  const size = 64 * megabyte
  let sent = 0
  const { stream, digest } = generate(size, (bytes) => {
    sent += bytes
  })
  const uploaded = putRaw(await sign(url, createGrant({ size, type: "application/octet-stream" })), stream)
  // The sender comes to a stop when sockets and buffers on the way are full.
  const progress: Array<number> = []
  await eventually(async () => {
    await new Promise((resolve) => setTimeout(resolve, 200))
    progress.push(sent)
    return sent > 0 && progress.at(-1) === progress.at(-2)
  })
  expect(sent).toBeLessThan(size / 2)
  gate.resolve()
  expect((await (await uploaded).json()).fileHash).toBe(digest())
}, 60_000)
