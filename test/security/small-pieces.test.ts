import { once } from "node:events"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import { type AddressInfo, connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { discardBody, takeInBody, toBody } from "../../adapters/node/request-body.ts"

/** Reads all of a body. @returns how many bytes it has */
const readAll = async (req: IncomingMessage): Promise<number> => {
  const reader = toBody(req).getReader()
  let bytes = 0
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return bytes
    bytes += value.length
  }
}

const serve = async (handle: (req: IncomingMessage, res: ServerResponse) => unknown): Promise<number> => {
  const server = createServer((req, res) => void handle(req, res)).listen(0, "127.0.0.1")
  onTestFinished(() => server.close().closeAllConnections())
  await once(server, "listening")
  return (server.address() as AddressInfo).port
}

/** Answers how many bytes a body has. */
const count = async (req: IncomingMessage, res: ServerResponse): Promise<void> => {
  if (req.method === "GET") return void res.end("here")
  takeInBody(req)
  await sleep(1)
  await readAll(req).then(
    (bytes) => res.end(String(bytes)),
    () => {},
  )
}

const head = (connection: string, path = "/") =>
  `POST ${path} HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nconnection: ${connection}\r\n\r\n`

const open = (port: number, connection = "close", path = "/"): Socket => {
  const socket = connect(port, "127.0.0.1").on("error", () => {})
  onTestFinished(() => void socket.destroy())
  socket.write(head(connection, path))
  return socket
}

/** So many chunks of `size` bytes. */
const chunks = (size: number, times: number) => `${size.toString(16)}\r\n${"a".repeat(size)}\r\n`.repeat(times)

const answerOf = async (socket: Socket): Promise<string> => {
  let text = ""
  for await (const piece of socket) text += String(piece)
  return text.slice(text.indexOf("\r\n\r\n") + 4)
}

/** Sends single bytes as fast as they are taken, until the connection is closed. */
const flood = (socket: Socket): void => {
  const piece = chunks(1, 10_000)
  const go = () => {
    while (socket.writable && socket.write(piece));
  }
  socket.on("drain", go)
  go()
}

describe("a body in small pieces", () => {
  it.each([
    ["single bytes", 1, 20_000],
    ["short lines", 30, 20_000],
    ["larger ones", 64, 20_000],
  ])("arrives whole: %s", async (_, size, times) => {
    const socket = open(await serve(count))
    socket.write(`${chunks(size, times)}0\r\n\r\n`)
    // In chunks, as it has no length.
    expect(await answerOf(socket)).toContain(String(size * times))
  })

  it("arrives whole where each comes alone, however many there are", async () => {
    const port = await serve(count)
    const socket = open(port).setNoDelay()
    for (let i = 0; i < 60; i++) {
      socket.write(chunks(1, 100))
      await sleep(1)
    }
    socket.write("0\r\n\r\n")
    expect(await answerOf(socket)).toContain("6000")
  })

  it("arrives whole however fast it comes, while there are few, also by several requests of one connection", async () => {
    const port = await serve(count)
    const once = open(port)
    once.write(`${chunks(1, 60_000)}0\r\n\r\n`)
    expect(await answerOf(once)).toContain("60000")
    const socket = open(port, "keep-alive")
    let answers = ""
    socket.on("data", (piece) => (answers += String(piece)))
    for (let i = 0; i < 6; i++) {
      socket.write(`${i === 0 ? "" : head("keep-alive")}${chunks(5, 8000)}0\r\n\r\n`)
      await expect.poll(() => answers.split("40000").length, { timeout: 20_000 }).toBe(i + 2)
    }
  })

  it("leaves others their turn: where many come as fast as they can, some are cut off, and nobody waits for them", async () => {
    const port = await serve((req, res) => (req.url === "/" ? count(req, res) : discardBody(req)))
    const floods = Array.from({ length: 80 }, (_, i) => open(port, "close", i % 2 === 0 ? "/" : "/discarded"))
    floods.forEach(flood)
    await expect.poll(() => floods.filter((socket) => socket.closed).length, { timeout: 30_000 }).toBeGreaterThan(20)
    expect(floods.some((socket) => !socket.closed)).toBe(true)
    expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("here")
    // Who sends lines meanwhile waits a little, and is not taken for one of them.
    const honest = open(port)
    honest.write(`${chunks(40, 2500)}0\r\n\r\n`)
    expect(await answerOf(honest)).toContain("100000")
  })
})
