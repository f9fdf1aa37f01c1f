import { createServer } from "node:http"
import http2 from "node:http2"
import { describe, expect, it, vi } from "vitest"
import { createRouteHandler, createSluice, sendResponse, toNodeListener, UploadError } from "../../adapters/node.ts"
import { encodeToken } from "../../src/protocol.ts"
import { listen, onEnd, serve, serveRaw, speak } from "../adapters/node/servers.ts"

const token = encodeToken({ apiKey: "sk_odd", appId: "odd", regions: ["local"] })

/** Rejections that nobody handles: outside of a test runner each of them ends the process. */
const watchRejections = (): ReadonlyArray<unknown> => {
  const seen: Array<unknown> = []
  const listeners = { unhandledRejection: process.listeners("unhandledRejection") }
  process.removeAllListeners("unhandledRejection")
  const see = (reason: unknown) => void seen.push(reason)
  process.on("unhandledRejection", see)
  onEnd(() => {
    process.off("unhandledRejection", see)
    for (const listener of listeners.unhandledRejection) process.on("unhandledRejection", listener)
  })
  return seen
}

const silence = () => {
  const print = vi.spyOn(console, "error").mockImplementation(() => {})
  onEnd(() => print.mockRestore())
  return print
}

const settled = () => new Promise((resolve) => setTimeout(resolve, 50))

const statusOf = (answer: string): number => Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1])

describe("a request line of another protocol version, over HTTP/1", () => {
  it.each(["HTTP/2.0", "HTTP/0.9"])(
    "of %s is answered 505, and the connection is no stream of HTTP/2",
    async (version) => {
      const seen = watchRejections()
      const f = createSluice()
      const router = { a: f({ blob: {} }).onUploadComplete(() => null) }
      const port = await serveRaw(createRouteHandler({ router, token, logLevel: "None" }))
      const bare = await serve(() => new Response("never"))
      for (const one of [port, bare]) {
        for (const method of ["GET", "POST"]) {
          const answer = await speak(
            one,
            `${method} / ${version}\r\nhost: a\r\nconnection: close\r\ncontent-length: 0\r\n\r\n`,
          )
          expect(statusOf(answer)).toBe(505)
          expect(answer).toContain("application/problem+json")
          expect(answer).toContain(`the request says ${version}`)
        }
      }
      await settled()
      expect(seen).toEqual([])
    },
  )
})

describe("an answer that cannot be sent", () => {
  it.each<[string, () => unknown]>([
    ["no Response", () => undefined],
    ["null", () => null],
    ["Response.error()", () => Response.error()],
    ["a header with a control character", () => new Response("x", { headers: { "x-a": "\u0001" } })],
    [
      "a body that was read",
      async () => {
        const response = new Response("x")
        await response.text()
        return response
      },
    ],
    [
      "a body of numbers, at once",
      () =>
        new Response(
          new ReadableStream({
            start: (controller) => {
              controller.enqueue(7)
              controller.close()
            },
          }),
        ),
    ],
    [
      "a body of numbers, later",
      () =>
        new Response(
          new ReadableStream({
            async pull(controller) {
              await settled()
              controller.enqueue(7)
            },
          }),
        ),
    ],
    [
      "a body of one number that does not end",
      () =>
        new Response(
          new ReadableStream({
            start: (controller) => {
              controller.enqueue(7)
            },
          }),
        ),
    ],
    [
      "an UploadError whose data is no JSON",
      () => {
        throw new UploadError({ code: "FORBIDDEN", message: "no", data: 1n as never })
      },
    ],
    [
      "something thrown that cannot be printed",
      () => {
        throw Object.create(null, {
          message: {
            get: () => {
              throw new Error("gotcha")
            },
          },
        })
      },
    ],
    [
      "undefined, thrown",
      () => {
        throw undefined
      },
    ],
  ])("is a 500 or a closed connection, and nothing stays to be caught: %s", async (_, make) => {
    const seen = watchRejections()
    const uncaught: Array<unknown> = []
    const catcher = (error: unknown) => void uncaught.push(error)
    process.prependListener("uncaughtException", catcher)
    onEnd(() => void process.off("uncaughtException", catcher))
    silence()
    for (const isHttp2 of [false, true]) {
      const listener = toNodeListener(make as () => Response)
      if (isHttp2) {
        const port = await listen(http2.createServer(listener))
        const session = http2.connect(`http://127.0.0.1:${port}`)
        onEnd(() => session.destroy())
        session.on("error", () => {})
        const stream = session.request({})
        stream.on("error", () => {})
        let status: unknown
        stream.on("response", (headers) => void (status = headers[":status"]))
        stream.resume()
        await new Promise((resolve) => stream.once("close", resolve))
        expect(status === undefined || status === 200 || status === 500).toBe(true)
      } else {
        const port = await listen(createServer(listener))
        const answer = await speak(port, "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
        // A body that fails after the head is out ends before it is complete.
        if (statusOf(answer) === 200) expect(answer).not.toMatch(/\r\n0\r\n\r\n$/)
        else expect(answer === "" || statusOf(answer) === 500).toBe(true)
      }
    }
    await settled()
    expect([seen, uncaught]).toEqual([[], []])
  })

  it("is printed, and leaves none of its headers behind", async () => {
    const print = silence()
    const port = await serveRaw((_req, res) => {
      void sendResponse(res, new Response("x", { headers: { "set-cookie": "a=b", "x-bad": "\u0001" } }))
    })
    const answer = await speak(port, "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
    expect(answer).toMatch(/^HTTP\/1\.1 500 /)
    expect(answer).not.toContain("set-cookie")
    expect(String(print.mock.calls[0]?.[0])).toContain("x-bad")
  })
})

it("a handler that was built wrong answers every request, and rejects none", async () => {
  const seen = watchRejections()
  const print = vi.spyOn(console, "error").mockImplementation(() => {})
  onEnd(() => print.mockRestore())
  const router = new Proxy(
    {},
    {
      ownKeys: () => {
        throw new Error("no keys for you")
      },
    },
  )
  const port = await serveRaw(createRouteHandler({ router, token, logLevel: "None" }))
  for (let i = 0; i < 2; i++) {
    const answer = await speak(port, "GET / HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n")
    expect(statusOf(answer)).toBe(500)
    expect(answer).not.toContain("no keys")
  }
  await settled()
  expect(seen).toEqual([])
})
