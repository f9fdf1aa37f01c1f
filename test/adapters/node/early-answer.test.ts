import { once } from "node:events"
import { request as httpRequest } from "node:http"
import { describe, expect, test, vi } from "vitest"
import { bothDoors, dial, onEnd, serve as serveBy } from "./servers.ts"

describe.each(bothDoors)("%s", (door) => {
  const serve = (fetch: Parameters<typeof serveBy>[0]) => serveBy(fetch, door)

  describe("an answer before the upload has ended", () => {
    const size = 10_000_000

    test.each(["untouched", "cancelled", "half read"])(
      "reaches a client that reads only after sending all: body %s",
      async (state) => {
        const port = await serve(async (request) => {
          const reader = request.body!.getReader()
          if (state !== "untouched") await reader.read()
          if (state === "cancelled") await reader.cancel()
          return Response.json({ code: "CONTENT_MISMATCH" }, { status: 415 })
        })
        const socket = await dial(port)
        socket.pause()
        socket.write(`PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: ${size}\r\n\r\n`)
        for (let sent = 0; sent < size; sent += 1_000_000) {
          await new Promise<void>((resolve, reject) =>
            socket.write(Buffer.alloc(1_000_000), (error) => (error ? reject(error) : resolve())),
          )
        }
        let answer = ""
        for await (const chunk of socket.setEncoding("latin1")) answer += chunk
        expect(answer).toMatch(/^HTTP\/1\.1 415 /)
        expect(answer.toLowerCase()).toContain("connection: close")
        expect(answer).toContain("content-length: 27")
        expect(answer.endsWith('{"code":"CONTENT_MISMATCH"}')).toBe(true)
      },
    )

    test("leaves the connection usable where it was a success", async () => {
      const port = await serve(async (request) => {
        if (request.method === "POST") await request.body!.getReader().read()
        return new Response(request.method)
      })
      const socket = await dial(port)
      socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${size}\r\n\r\n`)
      for (let sent = 0; sent < size; sent += 1_000_000) {
        await new Promise((resolve) => socket.write(Buffer.alloc(1_000_000), resolve))
      }
      socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
      let answer = ""
      for await (const chunk of socket.setEncoding("latin1")) answer += chunk
      expect(answer.match(/HTTP\/1\.1 200/g)).toHaveLength(2)
      expect(answer.endsWith("GET")).toBe(true)
    })

    test("leaves the connection usable where little was left to send", async () => {
      const port = await serve((request) => new Response(null, { status: request.method === "GET" ? 204 : 415 }))
      const socket = await dial(port)
      socket.write("PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: 6\r\n\r\nabc")
      const [answer] = (await once(socket, "data")) as [Buffer]
      expect(String(answer)).toMatch(/^HTTP\/1\.1 415 /)
      socket.write("defGET / HTTP/1.1\r\nhost: a\r\n\r\n")
      const [next] = (await once(socket, "data")) as [Buffer]
      expect(String(next)).toMatch(/^HTTP\/1\.1 204 /)
    })

    test("reaches fetch while its body is still coming", async () => {
      const port = await serve(() => new Response("too large", { status: 413 }))
      const body = new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(65_536)) })
      const response = await fetch(`http://127.0.0.1:${port}`, { method: "POST", body, duplex: "half" } as RequestInit)
      expect([response.status, await response.text()]).toEqual([413, "too large"])
    })

    test("is not read to the end where it was refused: a browser sees the answer once its connection breaks", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      onEnd(() => vi.useRealTimers())
      const port = await serve(() => new Response("no", { status: 507 }))
      const socket = await dial(port)
      socket.on("error", () => {})
      const closed = once(socket, "close")
      socket.write(`PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: ${size}\r\n\r\nabc`)
      const [answer] = (await once(socket, "data")) as [Buffer]
      expect(String(answer)).toMatch(/^HTTP\/1\.1 507 /)
      // It goes on sending as if there were no answer.
      const sending = setInterval(() => socket.write("d"), 1)
      onEnd(() => clearInterval(sending))
      await vi.advanceTimersByTimeAsync(3000)
      await closed
    })

    test("waits for a client that has fallen silent, but not for ever", async () => {
      vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] })
      onEnd(() => vi.useRealTimers())
      const port = await serve(() => new Response("no", { status: 415 }))
      const socket = await dial(port)
      socket.write(`PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: ${size}\r\n\r\nabc`)
      const closed = once(socket, "close")
      const [answer] = (await once(socket, "data")) as [Buffer]
      expect(String(answer)).toMatch(/^HTTP\/1\.1 415 /)
      expect(socket.readableEnded).toBe(false)
      await vi.advanceTimersByTimeAsync(60_000)
      await closed
    })
  })

  test("an early answer through Node's own client", async () => {
    const port = await serve(() => new Response("no", { status: 413 }))
    const req = httpRequest({ port, host: "127.0.0.1", method: "POST", headers: { "content-length": 10_000_000 } })
    req.on("error", () => {})
    req.write(Buffer.alloc(100_000))
    const [res] = await once(req, "response")
    expect(res.statusCode).toBe(413)
    req.destroy()
  })
})
