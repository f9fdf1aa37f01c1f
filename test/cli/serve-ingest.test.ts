import { mkdtemp, rm } from "node:fs/promises"
import { connect, type Socket } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { expect, it, onTestFinished } from "vitest"
import { listenForIngest } from "../../src/cli/serve/serve-ingest.ts"
import { type ServerLimits, serverLimits } from "../../src/cli/serve/server-limits.ts"
import { createMemoryBlobStore, createSqliteCatalog } from "../../src/ingest.ts"
import { encodeToken } from "../../src/protocol.ts"

/** The command's server in this process, with limits that do not take long to reach. */
const serve = async (limits: Partial<ServerLimits>): Promise<number> => {
  const path = await mkdtemp(join(tmpdir(), "sluice-serve-"))
  const server = await listenForIngest("127.0.0.1", 0, { ...serverLimits, grace: 0, ...limits })
  const token = encodeToken({ apiKey: "sk_test", appId: "app", regions: ["local"] })
  server.open({
    store: createMemoryBlobStore(),
    catalog: createSqliteCatalog({ file: join(path, "catalog.sqlite") }),
    token,
    url: "http://ingest.example",
    logLevel: "None",
    logFormat: "text",
  })
  onTestFinished(async () => {
    await server.close()
    await rm(path, { recursive: true })
  })
  return server.port
}

/** A connection, and what came on it until it was closed. */
const open = async (port: number): Promise<{ readonly socket: Socket; readonly closed: Promise<string> }> => {
  const socket = connect(port, "127.0.0.1")
  onTestFinished(() => void socket.destroy())
  let text = ""
  // A connection that is reset is closed as well; `once` would reject.
  const closed = new Promise<string>((resolve) => {
    socket
      .on("data", (data) => (text += data.toString()))
      .on("error", () => {})
      .on("close", () => resolve(text))
  })
  await new Promise((resolve) => socket.on("connect", resolve).on("close", resolve))
  return { socket, closed }
}

const request = "GET /f/nothing HTTP/1.1\r\nhost: x\r\n"

it("closes connections whose headers do not come to an end, while others are served", async () => {
  const port = await serve({ headersTimeout: 200 })
  const slow = await Promise.all(Array.from({ length: 50 }, () => open(port)))
  const trickle = setInterval(() => {
    for (const { socket } of slow) if (socket.writable) socket.write("x-a: b\r\n")
  }, 20)
  onTestFinished(() => clearInterval(trickle))
  for (const { socket } of slow) socket.write(request)
  expect((await fetch(`http://127.0.0.1:${port}/f/nothing`)).status).toBe(404)
  for (const answer of await Promise.all(slow.map(({ closed }) => closed)))
    expect(answer).toMatch(/^(HTTP\/1\.1 408 |$)/)
})

it("refuses headers that are too large", async () => {
  const { socket, closed } = await open(await serve({}))
  socket.write(`${request}x: ${"a".repeat(20_000)}\r\n\r\n`)
  expect(await closed).toMatch(/^HTTP\/1\.1 431 /)
})

it("closes connections on which nothing moves, those that never sent a byte as well", async () => {
  const port = await serve({ idleTimeout: 50 })
  const [silent, started] = [await open(port), await open(port)]
  started.socket.write("PUT /key HTTP/1.1\r\n")
  expect(await silent.closed).toBe("")
  await started.closed
})

it("keeps no more connections than it may", async () => {
  const port = await serve({ maxConnections: 2 })
  await open(port)
  await open(port)
  const third = await open(port)
  expect(await third.closed).toBe("")
})

it("keeps a connection for the next request no longer than it may", async () => {
  const { socket, closed } = await open(await serve({ keepAliveTimeout: 50 }))
  socket.write(`${request}\r\n`)
  expect(await closed).toMatch(/^HTTP\/1\.1 404 [^]*connection: keep-alive/i)
})
