import { connect, type Socket } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { describe, expect, it, onTestFinished } from "vitest"
import { createFileKey, names } from "../../src/protocol.ts"
import {
  apiKey,
  createGrant,
  encodedAppId,
  eventually,
  putRaw,
  randomContent,
  register,
  sign,
  startIngest,
} from "../ingest/circle.ts"
import { useBundledIngest } from "./bundled-ingest.ts"

const mebibyte = 1024 ** 2

const startBundled = useBundledIngest()
const startProcess = (execArgv?: ReadonlyArray<string>) => startBundled({ minimumRateWindow: 120_000 }, execArgv)

const callApi = (url: string, path: string, body: object): Promise<Response> =>
  fetch(`${url}/${path}`, {
    method: "POST",
    headers: { "content-type": "application/json", [names.header.apiKey]: apiKey },
    body: JSON.stringify(body),
  })

/** A body in HTTP chunks of one byte each, sent but for its last byte. */
const sendBytes = async (url: URL, method: string, content: Uint8Array, headers: string) => {
  const socket = connect(Number(url.port), url.hostname)
  onTestFinished(() => void socket.destroy())
  const answered = new Promise<string>((resolve) => {
    socket.on("error", () => {}).once("data", (data: Buffer) => resolve(data.toString("latin1", 0, 12)))
  })
  await new Promise((resolve) => socket.once("connect", resolve))
  const toChunks = (bytes: Uint8Array) => Array.from(bytes, (byte) => `1\r\n${String.fromCharCode(byte)}\r\n`).join("")
  const head = `${method} ${url.pathname}${url.search} HTTP/1.1\r\nhost: ${url.host}\r\n${headers}transfer-encoding: chunked\r\n\r\n`
  await new Promise((resolve) => socket.write(head + toChunks(content.subarray(0, -1)), "latin1", resolve))
  // A hundred pieces are taken in a millisecond. Of many connections that send more at once some would be cut off.
  await sleep(content.length / 100)
  return {
    answered,
    finish: () => socket.write(`${toChunks(content.subarray(-1))}0\r\n\r\n`, "latin1"),
  }
}

describe("a body that is cut into single bytes", () => {
  it("costs about what another one of its size does, as a small file and as a registration", async () => {
    // As lists of chunks these took half a gigabyte of its heap.
    const { url, exited } = await startProcess(["--max-old-space-size=72", "--max-semi-space-size=8"])
    const content = new Uint8Array(60_000).fill(97)
    const sent: Array<Awaited<ReturnType<typeof sendBytes>>> = []
    for (let i = 0; i < 15; i++) {
      const grant = createGrant({ size: content.length, type: "text/plain" })
      const type = "content-type: application/octet-stream\r\n"
      sent.push(await sendBytes(new URL(await sign(url, grant)), "PUT", content, type))
    }
    const json = new TextEncoder().encode(JSON.stringify("x".repeat(60_000)))
    const key = `content-type: application/json\r\n${names.header.apiKey}: ${apiKey}\r\n`
    for (let i = 0; i < 6; i++) await sendBytes(new URL(`${url}/${names.path.register}`), "POST", json, key)
    for (const { finish } of sent) finish()
    const answered = Promise.all(sent.map(({ answered }) => answered))
    expect(await Promise.race([answered, exited])).toEqual(sent.map(() => "HTTP/1.1 200"))
  }, 120_000)
})

describe("a file that is deleted while somebody reads it", () => {
  it("is not read to its end, and its reader is let go", async () => {
    const { url } = await startProcess()
    const size = 32 * mebibyte
    const grant = createGrant({ size, type: "application/octet-stream" })
    expect((await putRaw(await sign(url, grant), randomContent(size))).status).toBe(200)
    const socket: Socket = connect(Number(new URL(url).port), "127.0.0.1")
    onTestFinished(() => void socket.destroy())
    const closed = new Promise((resolve) => socket.on("error", () => {}).once("close", resolve))
    let received = 0
    socket.write(`GET /f/${grant.key} HTTP/1.1\r\nhost: x\r\n\r\n`)
    await new Promise((resolve) => socket.once("readable", resolve))
    const answer = await callApi(url, `${names.path.api}/deleteFiles`, { fileKeys: [grant.key] })
    expect(await answer.json()).toMatchObject({ deletedCount: 1 })
    socket.on("data", (data: Buffer) => (received += data.length))
    await closed
    expect(received).toBeGreaterThan(0)
    expect(received).toBeLessThan(size)
    await eventually(async () => /^sluice_readers_active 0$/m.test(await (await fetch(`${url}/metrics`)).text()))
  }, 60_000)
})

describe("sizes that no number can add up", () => {
  it("are refused, and the app's usage can still be told", async () => {
    const { url } = await startIngest()
    for (const size of [Number.MAX_SAFE_INTEGER, 2 ** 44 + 1]) {
      const refused = await putRaw(await sign(url, createGrant({ size })), "h")
      expect([refused.status, (await refused.json()).code]).toEqual([413, "FILE_TOO_LARGE"])
    }
    expect((await putRaw(await sign(url, createGrant({ size: 2 ** 44 })), "h")).status).toBe(409)
    expect((await callApi(url, `${names.path.api}/getUsageInfo`, {})).status).toBe(200)
    expect((await register(url, { fileKeys: [createFileKey(encodedAppId)] })).status).toBe(200)
  })
})

describe("registrations that are asked for again", () => {
  it("are told up to a bound, which an app's renewals do not reach", async () => {
    const { url } = await startIngest()
    const files: Array<{ readonly key: string }> = []
    const metadata = "x".repeat(64_000)
    for (let i = 0; i < 40; i++) {
      const key = createFileKey(encodedAppId)
      expect((await register(url, { fileKeys: [key], metadata })).status).toBe(200)
      files.push({ key })
    }
    const ask = (some: ReadonlyArray<object>) => callApi(url, names.path.registrations, { files: some })
    expect((await ask(files)).status).toBe(413)
    expect((await ask(files.slice(0, 30))).status).toBe(200)
    // One registration of many files is told once.
    const keys = Array.from({ length: 1000 }, () => createFileKey(encodedAppId))
    expect((await register(url, { fileKeys: keys, metadata })).status).toBe(200)
    expect((await ask(keys.map((key) => ({ key })))).status).toBe(200)
  })
})
