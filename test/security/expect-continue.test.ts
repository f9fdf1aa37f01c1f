import { once } from "node:events"
import { createServer } from "node:http"
import http2 from "node:http2"
import type { Socket } from "node:net"
import { describe, expect, it } from "vitest"
import { createRouteHandler, createSluice, deferContinue, toNodeListener } from "../../adapters/node.ts"
import { createFileKey, encodeToken, names } from "../../src/protocol.ts"
import { dial, listen, onEnd } from "../adapters/node/servers.ts"
import { apiKey, encodedAppId, signPath, token } from "../ingest/circle.ts"
import { startRealIngest } from "./running-ingest.ts"

const large = 50_000_000

/** The app of its token is that of `circle.ts`. */
const startIngestProcess = () => startRealIngest(["--log-level", "Error"], { token })

const ask = (method: string, target: string, length: number, headers: Record<string, string> = {}): string =>
  [
    `${method} ${target} HTTP/1.1`,
    "host: a",
    "expect: 100-continue",
    `content-length: ${length}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    "\r\n",
  ].join("\r\n")

/** All that comes until the server closes. */
const readAll = async (socket: Socket): Promise<string> => {
  let text = ""
  for await (const chunk of socket.setEncoding("latin1")) text += chunk
  return text
}

/** Sends a head whose body is held back; everything the server says to it, until it closes. */
const holdBack = async (port: number, head: string): Promise<string> => {
  const socket = await dial(port)
  socket.write(head)
  return readAll(socket)
}

/** Sends a head, the body when it is asked for, and gives both answers. */
const sendWhenAsked = async (port: number, head: string, body: string): Promise<readonly [string, string]> => {
  const socket = await dial(port)
  socket.write(head)
  const [asked] = (await once(socket, "data")) as [Buffer]
  socket.write(body)
  const [answer] = (await once(socket, "data")) as [Buffer]
  return [String(asked), String(answer)]
}

describe("a body that is held back (expect: 100-continue)", () => {
  it("is never asked for by an ingest that refuses the request by its head", async () => {
    const { url, port, child, ended } = await startIngestProcess()
    const path = await signPath(url, { key: createFileKey(encodedAppId) })
    const raw = { "content-type": "application/octet-stream" }
    const refusals: ReadonlyArray<readonly [number, string]> = [
      [403, ask("PUT", path.replace("hello.txt", "b.txt"), 5, raw)],
      [403, ask("PUT", path.replace("hello.txt", "b.txt"), large, raw)],
      [403, ask("PUT", await signPath(url, { key: createFileKey(encodedAppId), expires: 1 }), 5, raw)],
      [413, ask("PUT", path, large, raw)],
      [409, ask("PUT", await signPath(url, { key: createFileKey(encodedAppId) }), 2, { ...raw, range: "bytes=3-" })],
      [401, ask("POST", `/${names.path.register}`, 5)],
      [401, ask("POST", `/${names.path.api}/listFiles`, 5)],
      [413, ask("POST", `/${names.path.register}`, large, { [names.header.apiKey]: apiKey })],
      [404, ask("PUT", "/a/b/c/d", large)],
      [405, ask("PATCH", path, large)],
    ]
    const answers = await Promise.all(refusals.map(([, head]) => holdBack(port, head)))
    for (const [i, [status, head]] of refusals.entries()) {
      const answer = answers[i]!
      expect(answer, head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
      expect(answer.match(/HTTP\/1\.1/g), head).toHaveLength(1)
      expect(answer.toLowerCase(), head).toContain("connection: close")
      expect(answer, head).toContain('"code":')
    }
    child.kill("SIGKILL")
    expect((await ended).stderr).toBe("")
  })

  it("is asked for once by an ingest that takes it, and the connection stays", async () => {
    const { url, port } = await startIngestProcess()
    const raw = { "content-type": "application/octet-stream" }
    const path = await signPath(url, { key: createFileKey(encodedAppId) })
    const socket = await dial(port)
    for (const _ of [1, 2]) {
      socket.write(ask("PUT", await signPath(url, { key: createFileKey(encodedAppId) }), 5, raw))
      const [asked] = (await once(socket, "data")) as [Buffer]
      expect(String(asked)).toBe("HTTP/1.1 100 Continue\r\n\r\n")
      socket.write("hello")
      const [answer] = (await once(socket, "data")) as [Buffer]
      expect(String(answer)).toMatch(/^HTTP\/1\.1 200 /)
    }
    // Not waiting to be asked is allowed.
    socket.write(`${ask("PUT", path, 5, raw)}hello`)
    let text = ""
    while (!text.includes("fileHash")) text += String((await once(socket, "data"))[0])
    expect(text).toMatch(/^(?:HTTP\/1\.1 100 Continue\r\n\r\n)?HTTP\/1\.1 200 /)
  })

  it("reaches nobody when its client sends it after all, and the refusal reaches the client", async () => {
    const { port } = await startIngestProcess()
    const socket = await dial(port)
    socket.write(ask("PUT", "/a/b/c/d", large))
    const [answer] = (await once(socket, "data")) as [Buffer]
    expect(String(answer)).toMatch(/^HTTP\/1\.1 404 /)
    const reset = once(socket, "error").then(([error]) => error as Error)
    const closed = once(socket, "close").then(() => undefined)
    socket.resume()
    for (let sent = 0; sent < 5_000_000; sent += 1_000_000) {
      await new Promise((resolve) => socket.write(Buffer.alloc(1_000_000), resolve))
    }
    socket.end()
    expect(await Promise.race([reset, closed])).toBeUndefined()
  })

  it("is asked for by a route handler only when the route is there to read it", async () => {
    const f = createSluice()
    const router = { a: f({ blob: {} }).onUploadComplete(() => null) }
    const handle = createRouteHandler({
      router,
      token: encodeToken({ apiKey: "sk_x", appId: "x", regions: ["local"] }),
      ingestUrl: "http://127.0.0.1:4",
      allowedHosts: ["a"],
      logLevel: "None",
      fetch: async () => Response.json({ ok: true }),
    })
    const server = createServer(handle)
    server.on("checkContinue", deferContinue(handle))
    const port = await listen(server)
    const json = { "content-type": "application/json" }
    for (const [status, head] of [
      [404, ask("POST", "/?actionType=upload&slug=b", 5, json)],
      [400, ask("POST", "/?actionType=x&slug=a", 5, json)],
      [403, ask("POST", "/?actionType=upload&slug=a", 5, { "sec-fetch-site": "cross-site" })],
      [405, ask("PUT", "/?actionType=upload&slug=a", large, json)],
      [413, ask("POST", "/?actionType=upload&slug=a", large, json)],
    ] as const) {
      const answer = await holdBack(port, head)
      expect(answer, head).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    }
    const body = JSON.stringify({ files: [{ name: "a.txt", size: 1, type: "text/plain" }] })
    const [asked, answer] = await sendWhenAsked(
      port,
      ask("POST", "/?actionType=upload&slug=a", body.length, json),
      body,
    )
    expect(asked).toBe("HTTP/1.1 100 Continue\r\n\r\n")
    expect(answer).toMatch(/^HTTP\/1\.1 200 /)
  })

  it("is asked for over HTTP/2 as well only when it is read", async () => {
    const listener = toNodeListener(async (request) =>
      new URL(request.url).pathname === "/read"
        ? new Response(await request.text())
        : new Response("no", { status: 403 }),
    )
    const server = http2.createServer(listener)
    server.on("checkContinue", deferContinue(listener))
    const session = http2.connect(`http://127.0.0.1:${await listen(server)}`)
    onEnd(() => session.destroy())
    for (const [path, expected] of [
      ["/read", ["continue", 200]],
      ["/refuse", [403]],
    ] as const) {
      const seen: Array<unknown> = []
      const stream = session.request({ ":method": "POST", ":path": path, expect: "100-continue" }, { endStream: false })
      stream.on("error", () => {})
      stream.on("continue", () => {
        seen.push("continue")
        stream.end("hello")
      })
      stream.on("response", (headers) => void seen.push(headers[":status"]))
      stream.resume()
      await new Promise((resolve) => stream.once("close", resolve))
      expect(seen).toEqual(expected)
    }
  })
})

it("an expectation that the ingest does not know is a 417 with a problem document", async () => {
  const { url } = await startIngestProcess()
  const answer = await holdBack(Number(new URL(url).port), "GET /health HTTP/1.1\r\nhost: a\r\nexpect: wonders\r\n\r\n")
  expect(answer).toMatch(/^HTTP\/1\.1 417 [^]*content-type: application\/problem\+json[^]*"code":"BAD_REQUEST"/)
})
