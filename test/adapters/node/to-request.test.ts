import { once } from "node:events"
import fc from "fast-check"
import { describe, expect, test, vi } from "vitest"
import { toNodeListener, toRequest } from "../../../adapters/node.ts"
import { names } from "../../../src/protocol.ts"
import { bothDoors, dial, serve as serveBy, serveRaw, speak } from "./servers.ts"

const defer = <A>() => Promise.withResolvers<A>()

describe.each(bothDoors)("%s", (door) => {
  const serve = (fetch: Parameters<typeof serveBy>[0]) => serveBy(fetch, door)

  describe("the request's URL", () => {
    const urlOf = async (text: string) => {
      const port = await serve((request) => new Response(request.url, { headers: { connection: "close" } }))
      return (await speak(port, text.replaceAll("PORT", String(port)))).split("\r\n\r\n")[1]
    }

    test("is absolute, by the Host header", async () => {
      expect(await urlOf("GET /a/b?c=%20d HTTP/1.1\r\nhost: app.example:8080\r\n\r\n")).toBe(
        "http://app.example:8080/a/b?c=%20d",
      )
      expect(await urlOf("GET / HTTP/1.1\r\nhost: [::1]:80\r\n\r\n")).toBe("http://[::1]/")
    })

    test("stays on the host where the path begins with two slashes", async () => {
      expect(await urlOf("GET //evil.example/x HTTP/1.1\r\nhost: app.example\r\n\r\n")).toBe(
        "http://app.example//evil.example/x",
      )
    })

    test("is the target's where the target is absolute", async () => {
      expect(await urlOf("GET http://app.example/x HTTP/1.1\r\nhost: other\r\n\r\n")).toBe("http://app.example/x")
    })

    test("has a host also for an HTTP/1.0 client that names none", async () => {
      expect(await urlOf("GET /x HTTP/1.0\r\n\r\n")).toMatch(/^http:\/\/localhost:\d+\/x$/)
    })

    test.each(["a/b", "a b", "user@host", "a?b", "a#b", "host:999999", "[::1", "", "a\\b", "host:99999"])(
      "is refused with a problem for the host %j",
      async (host) => {
        const port = await serve(() => new Response("reached"))
        const answer = await speak(port, `GET / HTTP/1.1\r\nhost: ${host}\r\nconnection: close\r\n\r\n`)
        expect(answer).toMatch(/^HTTP\/1\.1 400 /)
        expect(answer).toContain('"code":"BAD_REQUEST"')
      },
    )

    test.each(["app.example", "other.example"])(
      "is refused where Host is said twice, the second time %s",
      async (host) => {
        const port = await serve(() => new Response("reached"))
        const answer = await speak(
          port,
          `GET / HTTP/1.1\r\nhost: app.example\r\nHOST: ${host}\r\nconnection: close\r\n\r\n`,
        )
        expect(answer).toMatch(/^HTTP\/1\.1 400 /)
        expect(answer).toContain("two hosts")
      },
    )

    test("is never on another host than Host says, whatever the target", async () => {
      const port = await serve((request) => new Response(new URL(request.url).host))
      const target = fc.string({ unit: fc.constantFrom(..."/\\?#@:.%20[]&=ab") })
      await fc.assert(
        fc.asyncProperty(target, async (text) => {
          const answer = await speak(port, `GET /${text} HTTP/1.1\r\nhost: app.example\r\nconnection: close\r\n\r\n`)
          expect(answer).toMatch(/^HTTP\/1\.1 (200|400) /)
          if (answer.startsWith("HTTP/1.1 200")) expect(answer.split("\r\n\r\n")[1]).toBe("app.example")
        }),
      )
    })

    test("a method that no Request can have is a 405", async () => {
      const port = await serve(() => new Response("reached"))
      expect(await speak(port, "TRACE / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")).toMatch(/^HTTP\/1\.1 405 /)
    })
  })

  describe("the request's body", () => {
    test("arrives whole where characters are split over packets", async () => {
      const port = await serve(
        async (request) => new Response(await request.text(), { headers: { connection: "close" } }),
      )
      const socket = await dial(port)
      const body = Buffer.from("a€😀ü")
      socket.setNoDelay(true)
      socket.write(`POST / HTTP/1.1\r\nhost: a\r\ncontent-length: ${body.length}\r\n\r\n`)
      for (const byte of body) await new Promise((resolve) => socket.write(Buffer.of(byte), resolve))
      let answer = ""
      for await (const chunk of socket.setEncoding("utf8")) answer += chunk
      expect(answer.split("\r\n\r\n")[1]).toBe("a€😀ü")
    })

    test("is absent for GET and HEAD, and for a POST without one", async () => {
      const port = await serve(
        (request) => new Response(null, { headers: { "x-body": request.body === null ? "null" : "stream" } }),
      )
      for (const method of ["GET", "HEAD", "POST"]) {
        const response = await fetch(`http://127.0.0.1:${port}`, { method })
        expect(response.headers.get("x-body")).toBe("null")
      }
    })

    test("slows the sender down while nobody reads", async () => {
      const reached = defer<ReadableStreamDefaultReader<Uint8Array>>()
      const port = await serve(async (request) => {
        const reader = request.body!.getReader()
        await reader.read()
        reached.resolve(reader)
        return new Promise(() => {})
      })
      const socket = await dial(port)
      socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 1000000000\r\n\r\n")
      const chunk = Buffer.alloc(1024 * 1024)
      let sent = 0
      while (socket.write(chunk)) sent += chunk.length
      await reached.promise
      // The sender gets no further than the buffers on the way.
      const { promise, resolve } = defer<string>()
      const push = () => {
        sent += chunk.length
        if (sent > 200e6) return resolve("all was taken")
        socket.write(chunk, (error) => !error && push())
      }
      push()
      const stalled = vi.waitUntil(
        () => {
          const before = sent
          return new Promise((settle) => setTimeout(() => settle(sent === before && "stalled"), 200))
        },
        { timeout: 10_000 },
      )
      expect(await Promise.race([promise, stalled])).toBe("stalled")
    })

    test("fails for its reader when the client leaves in the middle", async () => {
      const failed = defer<unknown>()
      const port = await serve(async (request) => {
        await request.text().catch(failed.resolve)
        return new Response()
      })
      const socket = await dial(port)
      socket.write("POST / HTTP/1.1\r\nhost: a\r\ncontent-length: 10\r\n\r\nabc")
      socket.end()
      expect(String(await failed.promise)).toContain("client closed")
    })

    test("is not touched before somebody reads it", async () => {
      const port = await serveRaw((req, res) => {
        toRequest(req, res)
        setImmediate(() => res.end(String(req.readableDidRead)))
      })
      expect(await (await fetch(`http://127.0.0.1:${port}`, { method: "POST", body: "abc" })).text()).toBe("false")
    })
  })

  describe("behind a body parser", () => {
    const parsed = (
      after: (bytes: Buffer) => { body?: unknown; rawBody?: unknown },
      headers: Record<string, string> = {},
      body = '{ "a" :\t"\\u00fc" }',
    ) =>
      serveRaw(async (req, res) => {
        const chunks: Array<Buffer> = []
        for await (const chunk of req) chunks.push(chunk)
        Object.assign(req, after(Buffer.concat(chunks)))
        toNodeListener(async (request) => new Response(await request.text(), { headers: request.headers }))(req, res)
      }).then((port) =>
        fetch(`http://127.0.0.1:${port}`, {
          method: "POST",
          headers: { "content-type": "application/json", ...headers },
          body,
        }),
      )
    const hook = { [names.header.hook]: "callback" }

    test("raw bytes it kept are the body, also of a callback", async () => {
      const text = '{ "a" :\t"\\u00fc" }'
      expect(await (await parsed((body) => ({ body }), hook)).text()).toBe(text)
      expect(await (await parsed((body) => ({ body: String(body) }), hook)).text()).toBe(text)
      expect(await (await parsed((rawBody) => ({ rawBody, body: { a: "ü" } }), hook)).text()).toBe(text)
    })

    test("a parsed body is written anew where no signature is at stake", async () => {
      const response = await parsed((bytes) => ({ body: JSON.parse(String(bytes)) }))
      expect(await response.text()).toBe('{"a":"ü"}')
      expect(response.headers.get("content-length")).toBe("10")
    })

    test("a body that it inflated is no longer announced as compressed", async () => {
      const response = await parsed((body) => ({ body }), { "content-encoding": "x-none" })
      expect(response.headers.get("content-encoding")).toBeNull()
    })

    test("a parsed callback is refused with the fix named", async () => {
      const response = await parsed((bytes) => ({ body: JSON.parse(String(bytes)) }), hook)
      expect([response.status, await response.json()]).toMatchObject([
        500,
        { code: "INVALID_CONFIG", detail: expect.stringContaining("Mount Sluice before") },
      ])
    })

    test("a body that is simply gone is refused with the fix named", async () => {
      const response = await parsed(() => ({}))
      expect(await response.json()).toMatchObject({ code: "INVALID_CONFIG" })
    })
  })

  describe("a client that leaves", () => {
    test("aborts the request's signal", async () => {
      const arrived = defer<void>()
      const aborted = defer<unknown>()
      const port = await serve((request) => {
        request.signal.addEventListener("abort", () => aborted.resolve(request.signal.reason))
        arrived.resolve()
        return new Promise(() => {})
      })
      const socket = await dial(port)
      socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
      await arrived.promise
      socket.destroy()
      expect(await aborted.promise).toMatchObject({ name: "AbortError" })
    })

    test("does not abort the signal after a complete answer", async () => {
      let signal: AbortSignal | undefined
      const closed = defer<void>()
      const listener = toNodeListener((request) => {
        signal = request.signal
        return new Response("done")
      })
      const port = await serveRaw((req, res) => {
        res.on("close", closed.resolve)
        listener(req, res)
      })
      const socket = await dial(port)
      socket.write("GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
      for await (const _ of socket);
      await closed.promise
      expect(signal?.aborted).toBe(false)
    })

    test("cancels the answer's stream", async () => {
      const cancelled = defer<unknown>()
      const port = await serve(
        () =>
          new Response(
            new ReadableStream({
              pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
              cancel: cancelled.resolve,
            }),
          ),
      )
      const socket = await dial(port)
      socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
      await once(socket, "readable")
      socket.destroy()
      expect(String(await cancelled.promise)).toContain("client closed")
    })
  })
})
