import { connect, type Socket } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { createFileKey, createSigner, encodeAppId, signUploadUrl } from "../../src/protocol.ts"
import { createGrant, eventually, putRaw, randomContent } from "../ingest/circle.ts"
import { makeFolder } from "../make-folder.ts"
import { acme, makeDataFolder, own, startIngestProcess, type Tenant } from "./two-apps.ts"

/** More than the systems on both sides take of what nobody reads. */
const size = 16 * 1024 ** 2

const places = ["--max-concurrent-reads", "16"]

/** Stores a public file of an app. */
const store = async (ingestUrl: string, { id, apiKey }: Tenant): Promise<string> => {
  const grant = createGrant({ appId: id, key: createFileKey(encodeAppId(id)), size, type: "application/octet-stream" })
  const signed = await signUploadUrl(ingestUrl, grant, createSigner(apiKey))
  expect((await putRaw(signed, randomContent(size))).status).toBe(200)
  return `${ingestUrl}/f/${grant.key}`
}

/** A client that asks for a file and reads no more than the status. */
const openSilent = async (url: string): Promise<{ readonly socket: Socket; readonly status: number }> => {
  const { hostname, port, pathname } = new URL(url)
  const socket = connect(Number(port), hostname)
  onTestFinished(() => void socket.destroy())
  socket.on("error", () => {}).write(`GET ${pathname} HTTP/1.1\r\nhost: x\r\n\r\n`)
  const head = await new Promise<Buffer>((resolve) => socket.once("data", resolve))
  socket.pause()
  return { socket, status: Number(head.toString("latin1", 9, 12)) }
}

const openMany = (url: string, count: number) => Promise.all(Array.from({ length: count }, () => openSilent(url)))

const countOpen = (readers: ReadonlyArray<{ readonly status: number }>) =>
  readers.filter(({ status }) => status === 200).length

describe("the places of readers", () => {
  it("are not all taken by those of one app's file, however many they are; what they leave goes to other apps first", async () => {
    const { url } = await startIngestProcess(await makeDataFolder(), places)
    const [slow, other] = [await store(url, own), await store(url, acme)]
    const silent = await openMany(slow, 60)
    expect(countOpen(silent)).toBe(10)
    expect(new Set(silent.map(({ status }) => status))).toEqual(new Set([200, 429]))
    let others = countOpen(await openMany(other, 60))
    expect(others).toBe(3)
    // Both go on asking. What becomes free is not given back to the app that holds more.
    for (const { socket } of silent.filter(({ status }) => status === 200).slice(0, 4)) socket.destroy()
    await eventually(async () => (others += countOpen(await openMany(other, 4))) === 6)
    expect(countOpen(await openMany(slow, 20))).toBe(0)
  }, 60_000)

  it("are all for the files of an app that is the only one", async () => {
    const { url } = await startIngestProcess(await makeFolder(), places)
    expect(countOpen(await openMany(await store(url, own), 60))).toBe(16)
  }, 60_000)
})
