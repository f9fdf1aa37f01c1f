import { once } from "node:events"
import { connect } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { createMemoryCatalog } from "../../../src/ingest.ts"
import { createGrant, eventually, putRaw, randomContent, sign, startIngest } from "../circle.ts"

/** More than the systems on both sides take of what nobody reads. */
const size = 16 * 1024 ** 2

/** A connection that asks for a file and reads nothing of it. */
const openSilent = async (url: string) => {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on("error", () => {}).pause()
  await once(socket, "connect")
  socket.write(`GET ${pathname} HTTP/1.1\r\nhost: x\r\n\r\n`)
  return socket
}

const store = async (ingestUrl: string, bytes: Uint8Array<ArrayBuffer>): Promise<string> => {
  const grant = createGrant({ size: bytes.length, type: "application/octet-stream" })
  expect((await putRaw(await sign(ingestUrl, grant), bytes)).status).toBe(200)
  return `${ingestUrl}/f/${grant.key}`
}

/** Whether a file can be read whole, or why not. */
const statusOf = async (url: string): Promise<number> => {
  const response = await fetch(url)
  await response.arrayBuffer()
  return response.status
}

describe("reading", () => {
  it("by more clients than may is refused until one leaves or is done; HEAD is not counted", async () => {
    const { url } = await startIngest({ maxConcurrentReads: 2 })
    const file = await store(url, randomContent(size))
    for (let i = 0; i < 5; i++) expect(await statusOf(file)).toBe(200)
    const sockets = [await openSilent(file), await openSilent(file)]
    await eventually(async () => (await fetch(file, { headers: { range: "bytes=0-0" } })).status === 429)
    const refused = await fetch(file)
    expect(refused.headers.get("retry-after")).toBe("5")
    expect((await refused.json()).code).toBe("RATE_LIMITED")
    expect((await fetch(file, { method: "HEAD" })).status).toBe(200)
    sockets[0]!.destroy()
    await eventually(async () => (await statusOf(file)) === 200)
  })

  it.each([
    ["from the store", 0],
    ["from the catalog", 64 * 1024 ** 2],
  ])("nothing for too long ends the connection before the end of the file: %s", async (_, largestContent) => {
    const catalog = createMemoryCatalog({ largestContent })
    const limits = { minimumReadRate: 1024 ** 2, minimumReadRateWindow: 100 }
    const { url } = await startIngest({ catalog, metrics: "open", ...limits })
    const socket = await openSilent(await store(url, randomContent(size)))
    await eventually(async () => /^sluice_readers_cut_off_total 1$/m.test(await (await fetch(`${url}/metrics`)).text()))
    let received = 0
    socket.on("data", (data) => (received += data.length)).resume()
    await once(socket, "close")
    expect(received).toBeLessThan(size)
  })

  it("slowly, but fast enough, brings the whole file", async () => {
    const { url } = await startIngest({ minimumReadRate: 16 * 1024, minimumReadRateWindow: 100 })
    const content = randomContent(size)
    const response = await fetch(await store(url, content))
    const chunks: Array<Uint8Array> = []
    for await (const chunk of response.body!) {
      chunks.push(chunk)
      // What is there already is read without a pause.
      if (chunks.length % 20 === 0) await new Promise((resolve) => setTimeout(resolve, 30))
    }
    expect(Buffer.compare(Buffer.concat(chunks), content)).toBe(0)
  })
})
