import { mkdtemp, rm } from "node:fs/promises"
import { connect } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest"
import { createFileKey, encodeAppId, names } from "../../src/protocol.ts"
import { createMemoryCatalog, type IngestOptions } from "../../src/ingest.ts"
import { createGrant, encodedAppId, eventually, putRaw, register, sign, startIngest, token } from "../ingest/circle.ts"
import { bundleIngestServer, type StartIngest } from "../reliability/ingest-process.ts"
import { acme, makeDataFolder, own, startIngestProcess, type Tenant } from "./two-apps.ts"

let folder: string
let start: StartIngest

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "sluice-unread-"))
  start = await bundleIngestServer(folder)
})
afterAll(() => rm(folder, { recursive: true }))

const startProcess = async (options: Partial<IngestOptions> = {}) => {
  const data = await mkdtemp(join(folder, "data-"))
  const ingest = start({ folder: data, token, metrics: "open", logLevel: "None", ...options }, [
    "--max-semi-space-size=8",
  ])
  onTestFinished(() => void ingest.child.kill("SIGKILL"))
  const url = `http://127.0.0.1:${await ingest.port}`
  const metric = async (name: string): Promise<number> => {
    const text = await (await fetch(`${url}/metrics`)).text()
    return Number(new RegExp(`^${name} (\\S+)$`, "m").exec(text)?.[1])
  }
  return { url, metric }
}

/** Opens a development stream, and reads no more than its first bytes. */
const openUnread = async (
  ingestUrl: string,
  fileKeys: ReadonlyArray<string>,
  metadata: unknown,
  { apiKey }: Tenant,
) => {
  const { port, hostname, host } = new URL(ingestUrl)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  const body = JSON.stringify({
    fileKeys,
    metadata,
    callbackUrl: "http://127.0.0.1:4/",
    callbackSlug: "avatar",
    isDev: true,
    awaitServerData: false,
  })
  const head = `POST /${names.path.register} HTTP/1.1\r\nhost: ${host}\r\n${names.header.apiKey}: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n`
  socket.on("error", () => {}).write(head + body)
  const first = await new Promise<Buffer>((resolve) => socket.once("data", resolve))
  socket.pause()
  return { socket, status: Number(first.toString("latin1", 9, 12)) }
}

/** Uploads files whose events have 60 KB each. */
const uploadMany = async (url: string, count: number, metadata: string) => {
  const grants = Array.from({ length: count }, () => createGrant({ slug: "avatar" }))
  const { socket } = await openUnread(
    url,
    grants.map(({ key }) => key),
    metadata,
    own,
  )
  for (let at = 0; at < count; at += 20) {
    const some = grants.slice(at, at + 20)
    const answers = await Promise.all(some.map(async (grant) => putRaw(await sign(url, grant), "hello")))
    for (const answer of answers) {
      expect(answer.status).toBe(200)
      await answer.arrayBuffer()
    }
  }
  return { socket, keys: grants.map(({ key }) => key) }
}

const metadata = "m".repeat(60_000)

describe("a development stream that is not read", () => {
  it("leaves what its reader does not take in the catalog, and not in the ingest's memory", async () => {
    const catalog = createMemoryCatalog()
    const { url } = await startIngest({ catalog })
    const { keys } = await uploadMany(url, 600, metadata)
    // Whatever is passed on has an attempt; 36 MB are more than the systems on both sides take.
    let attempted = 0
    for (const key of keys) attempted += Math.min((await catalog.get(key))!.delivery!.attempts, 1)
    console.log(`${attempted} of ${keys.length} events were passed on to a reader who does not read`)
    expect(attempted).toBeGreaterThan(0)
    expect(attempted).toBeLessThan(300)
  }, 120_000)

  it("is cut off, and every event comes on the next stream, one that was passed on as well", async () => {
    const { url, metric } = await startProcess({ heartbeat: 200 })
    const { socket, keys } = await uploadMany(url, 200, metadata)
    await eventually(async () => (await metric("sluice_dev_streams_open")) === 0)
    const seen = new Set<string>()
    const next = await register(url, { fileKeys: [createFileKey(encodedAppId)], isDev: true, metadata: null })
    let text = ""
    for await (const chunk of next.body!.pipeThrough(new TextDecoderStream())) {
      const lines = (text + chunk).split("\n")
      text = lines.pop()!
      for (const line of lines.filter((each) => each !== "")) {
        seen.add((JSON.parse(JSON.parse(line).payload) as { file: { key: string } }).file.key)
      }
      if (seen.size === keys.length) break
    }
    expect([...seen].sort()).toEqual([...keys].sort())
    socket.destroy()
  }, 120_000)
})

describe("the places of development streams", () => {
  it("are not all taken by one app; one too many is told so, and nothing of it is kept", async () => {
    const { url } = await startIngestProcess(await makeDataFolder(), ["--max-dev-streams", "16"])
    const open = async (tenant: Tenant) => {
      const { status } = await openUnread(url, [createFileKey(encodeAppId(tenant.id))], null, tenant)
      return status
    }
    const statuses = await Promise.all(Array.from({ length: 30 }, () => open(acme)))
    expect(statuses.filter((status) => status === 200)).toHaveLength(10)
    const refused = await register(url, { fileKeys: [createFileKey(encodeAppId(acme.id))], isDev: true }, acme.apiKey)
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "5"])
    expect(await refused.json()).toMatchObject({ code: "RATE_LIMITED", detail: expect.stringContaining("streams") })
    expect(await open(own)).toBe(200)
  }, 60_000)
})
