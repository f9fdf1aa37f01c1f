import { connect } from "node:net"
import { expect, it, onTestFinished } from "vitest"
import { names } from "../../src/protocol.ts"
import { eventually } from "../ingest/circle.ts"
import { acme, makeDataFolder, own, startIngestProcess, type Tenant } from "./two-apps.ts"

/** The largest body that the REST API takes, bytes. */
const size = 4 * 1024 * 1024

const path = `/${names.path.api}/listFiles`

/** Begins a request of an app that announces a large body and sends a byte of it. @returns the status, once there is one */
const beginLarge = (ingestUrl: string, { apiKey }: Tenant) => {
  const { hostname, port } = new URL(ingestUrl)
  const socket = connect(Number(port), hostname).on("error", () => {})
  onTestFinished(() => void socket.destroy())
  let status: number | undefined
  socket.once("data", (head) => (status = Number(head.toString("latin1", 9, 12))))
  socket.write(
    `POST ${path} HTTP/1.1\r\nhost: x\r\n${names.header.apiKey}: ${apiKey}\r\ncontent-type: application/json\r\ncontent-length: ${size}\r\n\r\n{`,
  )
  return { status: () => status, end: () => socket.destroy() }
}

const list = (ingestUrl: string, { apiKey }: Tenant) =>
  fetch(ingestUrl + path, { method: "POST", headers: { [names.header.apiKey]: apiKey }, body: "{}" })

it("large bodies that one app announces and does not send leave room to other apps, and are bounded", async () => {
  const { url } = await startIngestProcess(await makeDataFolder())
  const held = Array.from({ length: 100 }, () => beginLarge(url, own))
  const refused = () => held.filter(({ status }) => status() === 429).length
  // Of 256 MiB an app beside another one gets three quarters of seven eighths.
  await eventually(() => refused() === 58)
  expect(held.filter(({ status }) => status() === undefined)).toHaveLength(42)
  expect((await list(url, acme)).status).toBe(200)
  const others = Array.from({ length: 4 }, () => beginLarge(url, acme))
  // What is small gets in all the same, and what was refused when there is room again.
  expect((await list(url, own)).status).toBe(200)
  expect(others.every(({ status }) => status() === undefined)).toBe(true)
  for (const { end } of held) end()
  await eventually(async () => {
    const again = beginLarge(url, own)
    await list(url, own)
    return again.status() === undefined
  })
}, 60_000)
