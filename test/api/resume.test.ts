import { createHash } from "node:crypto"
import { open } from "node:fs/promises"
import { connect, createServer, type AddressInfo } from "node:net"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { describe, expect, onTestFinished, test } from "vitest"
import { createDiskBlobStore } from "../../src/ingest.ts"
import { SluiceApi, type UploadInput } from "../../src/api.ts"
import { randomContent, startIngest, token } from "../ingest/circle.ts"

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), "api-"))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

/**
 * A network between the app and its ingest that breaks connections: each of the first ones, once it has carried so
 * many bytes.
 */
const startNetwork = async (target: string, breaks: ReadonlyArray<number>) => {
  const { hostname, port } = new URL(target)
  const left = [...breaks]
  let carried = 0
  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    let own = 0
    const close = () => {
      client.destroy()
      upstream.destroy()
    }
    client.on("data", (chunk) => {
      carried += chunk.length
      own += chunk.length
      if (left[0] !== undefined && own > left[0]) {
        left.shift()
        // What has been carried arrives; nothing else, in neither direction.
        upstream.removeAllListeners("close").end(chunk)
        client.removeAllListeners("close").destroy()
      } else if (!upstream.write(chunk)) {
        client.pause()
      }
    })
    upstream.on("drain", () => client.resume())
    upstream.on("data", (chunk) => client.write(chunk))
    for (const socket of [client, upstream]) socket.on("close", close).on("error", close)
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  onTestFinished(() => void server.close())
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    carried: () => carried,
    isBroken: () => left.length === 0,
  }
}

describe("a connection that breaks", () => {
  const size = 24_000_000
  const bytes = randomContent(size)
  const fileHash = createHash("sha256").update(bytes).digest("hex")

  const run = async (toInput: (folder: string) => Promise<UploadInput>) => {
    const ingest = await startIngest()
    const network = await startNetwork(ingest.url, [5_000_000, 7_000_000, 2_000_000])
    // The public URL is the ingest's; the app reaches it by another.
    const api = new SluiceApi({
      token,
      ingestUrl: ingest.url,
      fetch: (input, init) => fetch((input as string).replace(ingest.url, network.url), init),
    })
    const result = await api.uploadFiles(await toInput(await folder()), { retry: { delay: 1 } })
    expect(result).toMatchObject({ error: null, data: { size, fileHash } })
    expect(network.isBroken()).toBe(true)
    // What was on its way in the buffers of three broken connections, more on a busy machine; begun anew each time, it
    // would be 14 MB.
    const twice = network.carried() - size
    console.log(`${size} bytes, three broken connections: ${twice} bytes more than the file were sent`)
    expect(twice).toBeLessThan(size / 2)
  }

  test("costs a path little more than what was on its way", () =>
    run(async (at) => {
      const path = join(at, "big.bin")
      const handle = await open(path, "w")
      await handle.writeFile(bytes)
      await handle.close()
      return { path }
    }))

  test("costs a file no more", () => run(async () => new File([bytes], "big.bin")))

  test("costs a stream no more: it is asked for the rest", async () => {
    const starts: Array<number> = []
    await run(async () => ({
      name: "big.bin",
      size,
      stream: (at: number) => {
        starts.push(at)
        return new Blob([bytes.subarray(at)]).stream()
      },
    }))
    expect(starts).toHaveLength(4)
    expect(starts).toEqual(starts.toSorted((a, b) => a - b))
    expect(starts[3]).toBeGreaterThan(0)
  })
})

describe("a URL that expires", () => {
  test("is signed anew, and the upload goes on", async () => {
    const ingest = await startIngest()
    const seen: Array<string> = []
    const api = new SluiceApi({
      token,
      ingestUrl: ingest.url,
      fetch: async (input, init) => {
        seen.push(`${init?.method} ${new URL(input as string).searchParams.get("expires")}`)
        // The first try takes longer than the URL is valid.
        if (seen.length === 1) {
          await new Promise((resolve) => setTimeout(resolve, 1100))
          throw new TypeError("broken")
        }
        return fetch(input, init)
      },
    })
    const result = await api.uploadFiles(new File(["hello"], "x.txt"), { expiresIn: "1s", retry: { delay: 1 } })
    expect(result.error).toBeNull()
    // PUT, then HEAD by the expired URL, then HEAD and PUT by the new one.
    expect(seen.map((line) => line.split(" ")[0])).toEqual(["PUT", "HEAD", "HEAD", "PUT"])
    expect(new Set(seen.map((line) => line.split(" ")[1])).size).toBe(2)
  })
})

describe("200 MB from a path", () => {
  test("are sent with flat memory, and arrive as they were", async () => {
    const at = await folder()
    const path = join(at, "big.bin")
    const size = 200 * 2 ** 20
    const hash = createHash("sha256")
    const handle = await open(path, "w")
    const piece = randomContent(2 ** 20)
    for (let written = 0; written < size; written += 2 ** 20) {
      // No two pieces are equal, and none is garbage that memory could be measured against.
      new DataView(piece.buffer).setUint32(0, written)
      hash.update(piece)
      await handle.write(piece)
    }
    await handle.close()
    const ingest = await startIngest({ store: createDiskBlobStore({ folder: join(at, "store") }) })
    const api = new SluiceApi({ token, ingestUrl: ingest.url })
    const percents = new Set<number>()
    const before = process.memoryUsage()
    let peak = 0
    let residentPeak = 0
    const { data, error } = await api.uploadFiles(
      { path },
      {
        onUploadProgress: ({ progress }) => {
          percents.add(progress)
          const { arrayBuffers, rss } = process.memoryUsage()
          peak = Math.max(peak, arrayBuffers - before.arrayBuffers)
          residentPeak = Math.max(residentPeak, rss - before.rss)
        },
      },
    )
    expect(error).toBeNull()
    expect(data).toMatchObject({ size, fileHash: hash.digest("hex") })
    expect(percents.size).toBeGreaterThan(50)
    console.log(
      `${size} bytes sent and stored by one process: ${peak} more bytes of buffers, ${residentPeak} of memory at the most`,
    )
    expect(peak).toBeLessThan(size / 3)
    expect(residentPeak).toBeLessThan(size / 2)
  })
})
