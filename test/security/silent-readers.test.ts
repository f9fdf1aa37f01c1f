import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { createGrant, putRaw, randomContent, sign } from "../ingest/circle.ts"
import { useBundledIngest } from "./bundled-ingest.ts"

const mebibyte = 1024 ** 2

/** More than the systems on both sides take of what nobody reads. */
const size = 16 * mebibyte

const startBundled = useBundledIngest()

/** Until it holds; how long that takes is not asserted. */
const until = async (condition: () => Promise<boolean>): Promise<void> => {
  while (!(await condition())) await sleep(200)
}

/** Has a process collect its garbage on SIGUSR2, and print what it still holds, in bytes. */
const tellMemory = `process.on("SIGUSR2", () => {
  for (let i = 0; i < 3; i++) gc()
  const { heapUsed, external } = process.memoryUsage()
  process.stderr.write("holds " + (heapUsed + external) + "\\n")
})`

/** An ingest in a process of its own with one large public file. */
const startWithFile = async () => {
  const { url, child, errors } = await startBundled(
    // A reader is cut off after 3 s in which it took nothing.
    { minimumReadRate: 8 * 1024, minimumReadRateWindow: 3000 },
    ["--expose-gc", "--max-semi-space-size=8", "--import", `data:text/javascript,${encodeURIComponent(tellMemory)}`],
  )
  const content = randomContent(size)
  const grant = createGrant({ size, type: "application/octet-stream" })
  expect((await putRaw(await sign(url, grant), content)).status).toBe(200)
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1])
  }
  return {
    url,
    content,
    path: `/f/${grant.key}`,
    activeReaders: () => metric("sluice_readers_active"),
    cutReaders: () => metric("sluice_readers_cut_off_total"),
    resident: () => metric("process_resident_memory_bytes"),
    /** Without what V8 has not collected yet: on a busy machine that is as much again. */
    held: async () => {
      const before = errors().length
      child.kill("SIGUSR2")
      await until(async () => errors().slice(before).includes("\n"))
      return Number(/holds (\d+)/.exec(errors().slice(before))![1])
    },
  }
}

type IngestWithFile = Awaited<ReturnType<typeof startWithFile>>

/** A connection that asks for the file `requests` times and reads nothing. */
const openSilent = async ({ url, path }: IngestWithFile, requests = 1): Promise<Socket> => {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname)
  socket.on("error", () => {}).pause()
  onTestFinished(() => void socket.destroy())
  await new Promise((resolve) => socket.once("connect", resolve))
  socket.write(`GET ${path} HTTP/1.1\r\nhost: x\r\n\r\n`.repeat(requests))
  return socket
}

const openMany = async (ingest: IngestWithFile, count: number): Promise<ReadonlyArray<Socket>> => {
  const sockets: Array<Socket> = []
  while (sockets.length < count) {
    sockets.push(...(await Promise.all(Array.from({ length: 50 }, () => openSilent(ingest)))))
  }
  return sockets
}

const readWhole = async ({ url, path, content }: IngestWithFile): Promise<void> => {
  const response = await fetch(url + path)
  expect(response.status).toBe(200)
  expect(Buffer.compare(Buffer.from(await response.arrayBuffer()), content)).toBe(0)
}

/** Lets so many clients read nothing until they are cut off, while others read and upload. @returns the most it held, bytes */
const holdSilent = async (ingest: IngestWithFile, count: number): Promise<number> => {
  let most = 0
  const watch = async (): Promise<boolean> => {
    most = Math.max(most, await ingest.held())
    return (await ingest.activeReaders()) === 0
  }
  const cutBefore = await ingest.cutReaders()
  const sockets = await openMany(ingest, count)
  await watch()
  await readWhole(ingest)
  await watch()
  const grant = createGrant({ size: mebibyte, type: "application/octet-stream" })
  expect((await putRaw(await sign(ingest.url, grant), randomContent(mebibyte))).status).toBe(200)
  await until(watch)
  // Each of them, and nobody else.
  expect((await ingest.cutReaders()) - cutBefore).toBe(count)
  for (const socket of sockets) socket.destroy()
  return most
}

describe("clients that ask for a file and read nothing", () => {
  it("cost little memory, 2,000 of them; others read and upload meanwhile; they are cut off, and the next ones cost no more", async () => {
    const ingest = await startWithFile()
    for (let i = 0; i < 3; i++) await readWhole(ingest)
    const [held, resident] = [await ingest.held(), await ingest.resident()]
    const rounds = [await holdSilent(ingest, 2000), await holdSilent(ingest, 2000), await holdSilent(ingest, 2000)]
    console.log(
      `2,000 silent readers, three times: ${rounds.map((each) => Math.round((each - held) / mebibyte)).join(", ")} MiB`,
    )
    for (const each of rounds) expect(each - held).toBeLessThan(100 * mebibyte)
    await readWhole(ingest)
    console.log(`afterwards: ${Math.round(((await ingest.held()) - held) / mebibyte)} MiB`)
    expect((await ingest.held()) - held).toBeLessThan(20 * mebibyte)
    // With what is outside of V8, and what V8 keeps for itself, about 110 MiB.
    console.log(`resident: ${Math.round(((await ingest.resident()) - resident) / mebibyte)} MiB more`)
    expect((await ingest.resident()) - resident).toBeLessThan(200 * mebibyte)
  }, 300_000)

  it("do not make the ingest open the file once for each request they send ahead on one connection", async () => {
    const ingest = await startWithFile()
    await openSilent(ingest, 32)
    await until(async () => (await ingest.activeReaders()) > 0)
    for (let i = 0; i < 10; i++) {
      expect(await ingest.activeReaders()).toBeLessThanOrEqual(1)
      await sleep(50)
    }
    await readWhole(ingest)
  }, 60_000)

  it("see their connection closed before the end of the file", async () => {
    const ingest = await startWithFile()
    const socket = await openSilent(ingest)
    await until(async () => (await ingest.cutReaders()) === 1)
    let received = 0
    const closed = new Promise((resolve) => socket.once("close", resolve))
    socket.on("data", (data) => (received += data.length)).resume()
    await closed
    expect(received).toBeLessThan(size)
  }, 60_000)
})
