import { connect } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { eventually } from "../ingest/circle.ts"
import { mount, servers, startServer } from "./node-servers.ts"

/** The largest body that the handler takes, bytes. */
const size = 1024 * 1024

/** A connection that sends a large body but for its last byte. */
const beginLarge = (origin: string, headers: ReadonlyArray<string>) => {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1").on("error", () => {})
  onTestFinished(() => void socket.destroy())
  let status: number | undefined
  socket.once("data", (head) => (status = Number(head.toString("latin1", 9, 12))))
  const head = [`POST ${mount}?actionType=upload&slug=avatar HTTP/1.1`, "host: app.example", ...headers]
  socket.write([...head, "content-type: application/json", `content-length: ${size}`, "", ""].join("\r\n"))
  socket.write(" ".repeat(size - 1))
  return { status: () => status, end: () => socket.destroy() }
}

const small = (origin: string) =>
  fetch(`${origin}${mount}?actionType=upload&slug=avatar`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ files: [] }),
  })

describe.each(Object.keys(servers))("large bodies that strangers begin to send, to an app on %s", (name) => {
  it.each([
    ["actions", []],
    ["callbacks", ["sluice-hook: callback", `x-sluice-signature: hmac-sha256=${"00".repeat(32)}`]],
  ] as const)("are bounded, and give room back when their clients leave: %s", async (_, headers) => {
    const { origin } = await startServer(name, { allowedHosts: "app.example, 127.0.0.1:*" })
    const all = Array.from({ length: 70 }, () => beginLarge(origin, headers))
    await eventually(() => all.filter(({ status }) => status() === 429).length === 6)
    expect(all.filter(({ status }) => status() === undefined)).toHaveLength(64)
    expect((await small(origin)).status).toBe(400)
    for (const { end } of all) end()
    await eventually(async () => {
      const again = beginLarge(origin, headers)
      await small(origin)
      return again.status() === undefined
    })
  })
})
