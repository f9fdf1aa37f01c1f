import { createReadStream, openAsBlob } from "node:fs"
import { mkdtemp, open, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { expect, test } from "vitest"
import { fileFromPath, fileFromStream, generateUploader, type TypedFileRouter } from "../../src/client.node.ts"

const size = 192 * 1024 * 1024

test.each([
  ["a file on the disk", (path: string) => fileFromPath(path)],
  ["a Blob of Node's disk", async (path: string) => new File([await openAsBlob(path)], "big.bin")],
  [
    "a stream",
    async (path: string) => {
      const stream = (start: number) => Readable.toWeb(createReadStream(path, { start })) as ReadableStream<Uint8Array>
      return fileFromStream({ name: "big.bin", size, stream })
    },
  ],
])("%s is not held in memory, and progress comes on the way", async (_, toFile) => {
  const folder = await mkdtemp(join(tmpdir(), "client-"))
  const path = join(folder, "big.bin")
  const handle = await open(path, "w")
  await handle.truncate(size)
  await handle.close()

  const server = createServer((request, response) => {
    if (request.method === "HEAD") return response.setHeader("x-sluice-range-start", "0").end()
    let received = 0
    request.on("data", (chunk: Buffer) => (received += chunk.length))
    request.on("end", () => {
      const { host } = request.headers
      const body =
        request.method === "POST" ? [{ key: "k", url: `http://${host}/k?signature=s` }] : { key: "k", received }
      response.end(JSON.stringify(body))
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  try {
    const before = process.memoryUsage().arrayBuffers
    const resident = process.memoryUsage.rss()
    let peak = 0
    let residentPeak = 0
    const percents = new Set<number>()
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/sluice`
    const [outcome] = await generateUploader<TypedFileRouter>({ url }).uploadFiles("any", {
      files: [await toFile(path)],
      onUploadProgress: ({ progress }) => {
        percents.add(progress)
        peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)
        residentPeak = Math.max(residentPeak, process.memoryUsage.rss() - resident)
      },
    })
    expect(outcome).toMatchObject({ status: "done", received: size })
    expect(percents.size).toBeGreaterThan(50)
    expect(peak).toBeLessThan(size / 2)
    expect(residentPeak).toBeLessThan(size)
    console.log(`${size} bytes sent: ${peak} more bytes of buffers, ${residentPeak} of memory at the most`)
  } finally {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true })
  }
})
