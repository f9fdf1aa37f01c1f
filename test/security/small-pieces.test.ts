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

const open = (port: number): Socket => {
  const socket = connect(port, "127.0.0.1").on("error", () => {})
  onTestFinished(() => void socket.destroy())
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\nconnection: close\r\n\r\n")
  return socket
}

/** So many chunks of `size` bytes. */
const chunks = (size: number, times: number) => `${size.toString(16)}\r\n${"a".repeat(size)}\r\n`.repeat(times)

/** `once` would fail where it is cut off. */
const closed = (socket: Socket) =>
  new Promise<void>((resolve) => (socket.closed ? resolve() : void socket.once("close", () => resolve())))

const answerOf = async (socket: Socket): Promise<string> => {
  let text = ""
  for await (const piece of socket) text += String(piece)
  return text.slice(text.indexOf("\r\n\r\n") + 4)
}

/** Sends single bytes as fast as they are taken, until the connection is closed. @returns how many bytes were written */
const flood = (socket: Socket): (() => number) => {
  const piece = chunks(1, 10_000)
  const go = () => {
    while (socket.writable && socket.write(piece));
  }
  socket.on("drain", go)
  go()
  return () => socket.bytesWritten
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

  it.each<[string, (req: IncomingMessage, res: ServerResponse) => unknown]>([
    ["as it is read", count],
    ["as it is discarded", (req) => discardBody(req)],
  ])("is cut off where it goes on as fast as it can: %s", async (_, handle) => {
    const socket = open(await serve(handle))
    flood(socket)
    await closed(socket)
    expect(socket.destroyed).toBe(true)
  })

  it("leaves others their turn: they are answered before many floods are over, and those come to an end", async () => {
    const port = await serve(count)
    const floods = Array.from({ length: 20 }, () => open(port))
    const sent = floods.map(flood)
    await Promise.all(floods.map((socket) => once(socket, "connect")))
    for (let i = 0; i < 5; i++) expect(await (await fetch(`http://127.0.0.1:${port}/`)).text()).toBe("here")
    expect(floods.some(({ closed }) => !closed)).toBe(true)
    await Promise.all(floods.map(closed))
    // What lay ready in the system's memory was never read.
    for (const bytes of sent) expect(bytes()).toBeLessThan(64 * 1024 ** 2)
  })
})
