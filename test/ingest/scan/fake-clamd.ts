import { once } from "node:events"
import { rm } from "node:fs/promises"
import { type AddressInfo, createServer, type Socket } from "node:net"
import { onTestFinished } from "vitest"
import type { ClamdAddress } from "../../../src/schema/clamd-address.ts"

/** One file, as a clamd gets it. */
export interface FakeScan {
  readonly socket: Socket
  /** What has come of it so far. */
  readonly read: () => Buffer
  /** Resolves when all of it has come. */
  readonly whole: Promise<void>
  /** Resolves when the connection is closed. */
  readonly closed: Promise<unknown>
}

export interface FakeClamd {
  readonly address: ClamdAddress
  /** As a setting. */
  readonly text: string
  /** Every file so far. */
  readonly scans: ReadonlyArray<FakeScan>
  readonly stop: () => Promise<void>
}

/** Takes apart what clamd calls INSTREAM. */
const parse = (socket: Socket): FakeScan => {
  const whole = Promise.withResolvers<void>()
  const parts: Array<Buffer> = []
  let rest = Buffer.alloc(0)
  let isBegun = false
  socket.on("data", (chunk: Buffer) => {
    rest = Buffer.concat([rest, chunk])
    if (!isBegun) {
      const end = rest.indexOf(0)
      if (end < 0) return
      if (rest.subarray(0, end).toString() !== "zINSTREAM") return void socket.end("UNKNOWN COMMAND\0")
      isBegun = true
      rest = rest.subarray(end + 1)
    }
    while (rest.length >= 4) {
      const length = rest.readUInt32BE()
      if (length === 0) return whole.resolve()
      if (rest.length < 4 + length) return
      parts.push(Buffer.from(rest.subarray(4, 4 + length)))
      rest = rest.subarray(4 + length)
    }
  })
  socket.on("error", () => {})
  return {
    socket,
    read: () => Buffer.concat(parts),
    whole: whole.promise,
    closed: new Promise((resolve) => socket.once("close", resolve)),
  }
}

/** A clamd whose answers the test makes; it is stopped with the test. */
export const startFakeClamd = async (
  handle: (scan: FakeScan) => unknown,
  { path, port = 0 }: { readonly path?: string; readonly port?: number } = {},
): Promise<FakeClamd> => {
  const scans: Array<FakeScan> = []
  const server = createServer((socket) => {
    const scan = parse(socket)
    scans.push(scan)
    void handle(scan)
  })
  if (path === undefined) server.listen(port, "127.0.0.1")
  else server.listen(path)
  await once(server, "listening")
  const stop = async () => {
    for (const { socket } of scans) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
    if (path !== undefined) await rm(path, { force: true })
  }
  onTestFinished(stop)
  const address = path === undefined ? { host: "127.0.0.1", port: (server.address() as AddressInfo).port } : { path }
  return {
    address,
    text: "path" in address ? `unix:${address.path}` : `tcp://${address.host}:${address.port}`,
    scans,
    stop,
  }
}

/** Answers as clamd does once it has the whole file, and hangs up. */
export const answerAlways =
  (answer: string) =>
  async ({ socket, whole }: FakeScan): Promise<void> => {
    await whole
    socket.end(`${answer}\0`)
  }

/** Finds something in files that have this text in them. */
export const answerByContent =
  (bad: string) =>
  async ({ socket, read, whole }: FakeScan): Promise<void> => {
    await whole
    socket.end(read().includes(bad) ? "stream: Test.Signature FOUND\0" : "stream: OK\0")
  }
