import { openAsBlob } from "node:fs"
import { mkdtemp, open, rm } from "node:fs/promises"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, test } from "vitest"
import { generateUploader, type TypedFileRouter } from "../../src/client.ts"

test("a file on Node's disk is streamed: memory does not grow with it, and progress comes on the way", async () => {
  const size = 192 * 1024 * 1024
  const folder = await mkdtemp(join(tmpdir(), "client-"))
  const path = join(folder, "big.bin")
  const handle = await open(path, "w")
  await handle.truncate(size)
  await handle.close()

  const server = createServer((request, response) => {
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
    let peak = 0
    const percents = new Set<number>()
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/sluice`
    const [outcome] = await generateUploader<TypedFileRouter>({ url }).uploadFiles("any", {
      files: [new File([await openAsBlob(path)], "big.bin")],
      onUploadProgress: ({ progress }) => {
        percents.add(progress)
        peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)
      },
    })
    expect(outcome).toMatchObject({ status: "done", received: size })
    expect(percents.size).toBeGreaterThan(50)
    expect(peak).toBeLessThan(size / 2)
  } finally {
    server.closeAllConnections()
    server.close()
    await rm(folder, { recursive: true })
  }
})
