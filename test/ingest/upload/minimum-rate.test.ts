import { once } from "node:events"
import { connect, type Socket } from "node:net"
import { describe, expect, it, onTestFinished, vi } from "vitest"
import { type BlobStore, createMemoryBlobStore } from "../../../src/ingest.ts"
import { createRateWatch } from "../../../src/ingest/upload/minimum-rate.ts"
import { createGrant, eventually, offsetOf, putRaw, sign, startIngest } from "../circle.ts"

/** A PUT on a bare socket: its body is sent piece by piece, as the test wants. */
const startPut = async (url: string, length: number): Promise<{ socket: Socket; answer: Promise<string> }> => {
  const { hostname, port, pathname, search } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  await once(socket, "connect")
  // The problem document ends the answer; the connection is closed when the client has had time to read it.
  const answer = new Promise<string>((resolve) => {
    let text = ""
    socket.on("data", (data) => {
      text += data.toString()
      if (text.endsWith("}")) resolve(text)
    })
  })
  socket.write(
    `PUT ${pathname}${search} HTTP/1.1\r\nhost: ${hostname}:${port}\r\ncontent-type: application/octet-stream\r\ncontent-length: ${length}\r\n\r\n`,
  )
  return { socket, answer }
}

it("cuts a client off that stalls, keeps what has arrived and says so", async () => {
  const { url } = await startIngest({ minimumRate: 1024, minimumRateWindow: 50 })
  const signed = await sign(url, createGrant({ size: 1_000_000 }))
  const { socket, answer } = await startPut(signed, 1_000_000)
  socket.write(Buffer.alloc(100_000))
  const response = await answer
  expect(response).toMatch(/^HTTP\/1\.1 409 /)
  expect(response).toContain("connection: close")
  expect(response).toMatch(/"code":"RANGE_MISMATCH"/)
  expect(response).toMatch(/too slowly.*100000 of 1000000 bytes are stored/)
  expect(response).toMatch(/x-sluice-range-start: 100000\r\n/i)
  expect(await offsetOf(signed)).toBe(100_000)
  expect((await putRaw(signed, new Uint8Array(900_000), 100_000)).status).toBe(200)
})

it("cuts a client off that trickles below the rate", async () => {
  const { url } = await startIngest({ minimumRate: 100_000, minimumRateWindow: 100 })
  const signed = await sign(url, createGrant({ size: 1_000_000 }))
  const { socket, answer } = await startPut(signed, 1_000_000)
  const trickle = setInterval(() => socket.write("x"), 5)
  onTestFinished(() => clearInterval(trickle))
  expect(await answer).toMatch(/^HTTP\/1\.1 409 /)
})

it("leaves a client alone that sends faster, however long it takes", async () => {
  const { url } = await startIngest({ minimumRate: 1000, minimumRateWindow: 20 })
  const size = 4000
  let sent = 0
  const body = new ReadableStream<Uint8Array>({
    pull: async (controller) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      controller.enqueue(new Uint8Array(100))
      sent += 100
      if (sent === size) controller.close()
    },
  })
  expect((await putRaw(await sign(url, createGrant({ size })), body)).status).toBe(200)
})

it("does not hold the time against a client that the disk takes", async () => {
  const memory = createMemoryBlobStore()
  let writing = 0
  const slow: BlobStore = {
    ...memory,
    append: (key, append) => {
      async function* slowly() {
        for await (const chunk of append.body) {
          writing++
          // Several windows of the rate.
          await new Promise((resolve) => setTimeout(resolve, 100))
          yield chunk
        }
      }
      return memory.append(key, { ...append, body: slowly() })
    },
  }
  const { url } = await startIngest({ store: slow, minimumRate: 1_000_000, minimumRateWindow: 20 })
  const response = await putRaw(await sign(url, createGrant({ size: 300_000 })), new Uint8Array(300_000))
  expect(response.status).toBe(200)
  expect(writing).toBeGreaterThan(1)
})

it("never cuts anybody off where the rate is 0", async () => {
  const { url, catalog } = await startIngest({ minimumRate: 0, minimumRateWindow: 10 })
  const other = await startIngest({ minimumRate: 1024, minimumRateWindow: 10 })
  const grant = createGrant({ size: 10 })
  const patient = await startPut(await sign(url, grant), 10)
  patient.socket.write("hello")
  const cut = await startPut(await sign(other.url, createGrant({ size: 10 })), 10)
  cut.socket.write("hello")
  await cut.answer
  patient.socket.write("world")
  await eventually(async () => (await catalog.get(grant.key))?.file.status === "Uploaded")
})

describe("where timers are numbers, as in browsers and workerd", () => {
  it("one timer watches over all bodies, and is cleared when there is none", () => {
    const running = new Set<number>()
    let made = 0
    const looks = new Map<number, () => void>()
    vi.stubGlobal("setInterval", (look: () => void) => {
      running.add(++made)
      looks.set(made, look)
      return made
    })
    vi.stubGlobal("clearInterval", (timer: number) => void running.delete(timer))
    onTestFinished(() => void vi.unstubAllGlobals())
    const { watch } = createRateWatch({ minimumRate: 1024, minimumRateWindow: 1000 })
    const intake = () => ({ isWaiting: true, received: 0 })
    const ends = Array.from({ length: 100 }, () => watch(intake(), () => {}))
    expect(running.size).toBe(1)
    for (const end of ends) end()
    for (const timer of running) looks.get(timer)!()
    expect(running.size).toBe(0)
    watch(intake(), () => {})
    expect([running.size, made]).toEqual([1, 2])
  })
})
