import { createHash } from "node:crypto"
import { expect, test } from "vitest"
import { SluiceApi } from "../../../src/api.ts"
import { listen, token } from "../../ingest/circle.ts"
import { startSource } from "./source.ts"

const size = 300 * 1024 * 1024
const piece = new Uint8Array(1024 * 1024).fill(7)

test.each([
  ["whose size is known", { "content-length": size }],
  ["whose size is not", {}],
])(
  "a file %s is not held in memory",
  async (_, headers) => {
    const source = await startSource((_, response) => {
      response.writeHead(200, headers)
      let left = size
      const more = () => {
        for (; left > 0; left -= piece.length) {
          if (!response.write(piece)) {
            left -= piece.length
            return void response.once("drain", more)
          }
        }
        response.end()
      }
      more()
    })
    let peak = 0
    let residentPeak = 0
    const before = process.memoryUsage().arrayBuffers
    const resident = process.memoryUsage.rss()
    const ingestUrl = await listen((request, response) => {
      let received = 0
      const hash = createHash("sha256")
      request.on("data", (chunk: Buffer) => {
        received += chunk.length
        hash.update(chunk)
        peak = Math.max(peak, process.memoryUsage().arrayBuffers - before)
        residentPeak = Math.max(residentPeak, process.memoryUsage.rss() - resident)
      })
      request.on("end", () => {
        const key = new URL(request.url!, ingestUrl).pathname.slice(1)
        response.end(JSON.stringify({ key, size: received, fileHash: hash.digest("hex") }))
      })
    })
    const expected = createHash("sha256")
    for (let left = size; left > 0; left -= piece.length) expected.update(piece)

    const api = new SluiceApi({ token, ingestUrl, logLevel: "None" })
    const { data } = await api.uploadFilesFromUrl(source.url, { allowPrivateNetwork: true })
    expect(data).toMatchObject({ size, fileHash: expected.digest("hex") })
    expect(peak).toBeLessThan(size * 0.75)
    expect(residentPeak).toBeLessThan(size / 2)
    console.log(`${size} bytes passed on: ${peak} more bytes of buffers, ${residentPeak} of memory at the most`)
  },
  60_000,
)
