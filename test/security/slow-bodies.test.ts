import { connect } from "node:net"
import { describe, expect, it, onTestFinished } from "vitest"
import { mount, servers, startServer } from "./node-servers.ts"

/** Sends a head and the body a byte at a time, or one byte and then no more, never all of it; what the server answers all the same. */
const drip = (origin: string, target: string, headers: ReadonlyArray<string>, isSilent = false): Promise<string> =>
  new Promise((resolve) => {
    const socket = connect(Number(new URL(origin).port), "127.0.0.1")
    const sendByte = () => socket.write("1\r\n{\r\n")
    const timer = setInterval(() => isSilent || sendByte(), 200)
    onTestFinished(() => {
      clearInterval(timer)
      socket.destroy()
    })
    let text = ""
    socket.on("error", () => {})
    socket.setEncoding("utf8").on("data", (chunk) => {
      text += chunk
      if (text.includes('"code":')) resolve(text)
    })
    socket.on("close", () => resolve(text))
    const head = [`POST ${target} HTTP/1.1`, "host: app.example", "content-type: application/json", ...headers]
    socket.write([...head, "transfer-encoding: chunked", "", ""].join("\r\n"))
    sendByte()
  })

describe.each(Object.keys(servers))("a body that comes a byte at a time and never ends, to an app on %s", (name) => {
  it.each([
    ["an upload", `${mount}?actionType=upload&slug=avatar`, []],
    ["a renewal", `${mount}?actionType=renew&slug=avatar`, []],
    [
      "a callback",
      `${mount}?slug=avatar`,
      ["sluice-hook: callback", `x-sluice-signature: hmac-sha256=${"00".repeat(32)}`],
    ],
  ] as const)(
    "is a 408 after the time that the app allows, on a connection that ends: %s",
    async (_, target, headers) => {
      const { origin, callbackUrls } = await startServer(name, { bodyTimeout: "1 second" })
      const answer = await drip(origin, target, headers)
      expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*"code":"BAD_REQUEST"/)
      expect(answer.toLowerCase()).toContain("connection: close")
      expect(callbackUrls).toEqual([])
    },
  )

  it("is a 408 when no byte more comes, too", async () => {
    const { origin } = await startServer(name, { bodyTimeout: "1 second" })
    const answer = await drip(origin, `${mount}?actionType=upload&slug=avatar`, [], true)
    expect(answer).toMatch(/^HTTP\/1\.1 408 [^]*"code":"BAD_REQUEST"/)
  })
})
