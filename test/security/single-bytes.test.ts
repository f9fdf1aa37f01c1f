import { once } from "node:events"
import { mkdtemp, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { setTimeout as sleep } from "node:timers/promises"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { createGrant, putRaw, randomContent, sign, token } from "../ingest/circle.ts"
import { bundleIngestServer, type StartIngest } from "../reliability/ingest-process.ts"

const mebibyte = 1024 ** 2

let folder: string
let start: StartIngest

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-bytes-"))
  start = await bundleIngestServer(folder)
})
afterAll(() => rm(folder, { recursive: true }))

const startProcess = async () => {
  const data = await mkdtemp(join(folder, "data-"))
  const options = { folder: data, token, metrics: "open", logLevel: "None", minimumRateWindow: 120_000 } as const
  // What bodies hold does not fit; V8 would let what is garbage already grow to gigabytes.
  const ingest = start(options, ["--max-old-space-size=72", "--max-semi-space-size=8"])
  onTestFinished(() => void ingest.child.kill("SIGKILL"))
  const url = `http://127.0.0.1:${await ingest.port}`
  const memory = async () => {
    const text = await (await fetch(`${url}/metrics`, { signal: AbortSignal.timeout(20_000) })).text()
    return Number(/^process_resident_memory_bytes (\S+)$/m.exec(text)?.[1])
  }
  return { url, memory }
}

/** One byte a chunk. As many as Node takes in of a body that nobody reads, and no end. */
const single = "1\r\na\r\n".repeat(60_000)

/** Sends a request whose body comes in single bytes and does not end; reads no more than the first of the answer. */
const send = async (method: string, target: string, before = "") => {
  const { hostname, port, host, pathname, search } = new URL(target)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.once("data", () => socket.pause())
  // Fails where the ingest is gone.
  await once(socket, "connect")
  socket.on("error", () => {})
  const head = `${method} ${pathname}${search} HTTP/1.1\r\nhost: ${host}\r\ncontent-type: text/x\r\ntransfer-encoding: chunked\r\n\r\n`
  await new Promise((resolve) => socket.write(before + head + single, "latin1", resolve))
  await sleep(50)
}

/** What 40 such bodies take, 2.4 MB together. */
const measure = async ({ memory }: Awaited<ReturnType<typeof startProcess>>, one: () => Promise<void>) => {
  const before = await memory()
  for (let i = 0; i < 40; i++) await one()
  await sleep(1000)
  const taken = (await memory()) - before
  console.log(`40 bodies of single bytes: ${Math.round(taken / mebibyte)} MiB`)
  return taken
}

/** Half of what one of these cases took; a twentieth of it is what they take now. */
const bound = 300 * mebibyte

describe("bodies that come in single bytes and do not end", () => {
  it("cost little memory as uploads of 4 MB", async () => {
    const ingest = await startProcess()
    const upload = async () => send("PUT", await sign(ingest.url, createGrant({ size: 4 * mebibyte })))
    expect(await measure(ingest, upload)).toBeLessThan(bound)
    expect((await putRaw(await sign(ingest.url, createGrant()), "hello")).status).toBe(200)
  }, 120_000)

  it.each([
    ["of a GET whose answer is not read", ""],
    ["of a request that waits for its turn behind such a GET", "GET /PATH HTTP/1.1\r\nhost: x\r\n\r\n"],
  ])(
    "cost little memory where nobody reads them: %s",
    async (_, before) => {
      const ingest = await startProcess()
      const grant = createGrant({ size: 16 * mebibyte, type: "application/octet-stream" })
      expect((await putRaw(await sign(ingest.url, grant), randomContent(grant.size))).status).toBe(200)
      const path = `f/${grant.key}`
      const read = () => send("GET", `${ingest.url}/${path}`, before.replace("PATH", path))
      expect(await measure(ingest, read)).toBeLessThan(bound)
      expect((await putRaw(await sign(ingest.url, createGrant()), "hello")).status).toBe(200)
    },
    120_000,
  )
})
