import { describe, expect, test, vi } from "vitest"
import { createServer } from "node:http"
import { toNodeListener, UploadError } from "../../../adapters/node.ts"
import type { Respond } from "../../../src/server.ts"
import { bothDoors, dial, listen, onEnd, serve as serveBy } from "./servers.ts"

describe.each(bothDoors)("%s", (door) => {
  const serve = (fetch: Parameters<typeof serveBy>[0]) => serveBy(fetch, door)

  describe("a handler that throws", () => {
    test("an UploadError answers with its code, status and message", async () => {
      const port = await serve(() => {
        throw new UploadError({ code: "QUOTA_EXCEEDED", status: 402, message: "Pay first." })
      })
      const response = await fetch(`http://127.0.0.1:${port}`)
      expect([response.status, await response.json()]).toMatchObject([
        402,
        { code: "QUOTA_EXCEEDED", detail: "Pay first." },
      ])
    })

    test("anything else answers 500 without its text, which is printed", async () => {
      const print = vi.spyOn(console, "error").mockImplementation(() => {})
      onEnd(() => print.mockRestore())
      const port = await serve(async () => {
        throw new Error("secret text")
      })
      const response = await fetch(`http://127.0.0.1:${port}`)
      expect(response.status).toBe(500)
      expect(response.headers.get("content-type")).toBe("application/problem+json")
      expect(await response.text()).not.toContain("secret")
      expect(String(print.mock.calls[0]?.[0])).toContain("secret text")
    })
  })

  test.each([
    [true, "hears"],
    [false, "does not hear"],
  ])("with signal: %s a handler %s that its client has left", async (signal, _hears) => {
    const asked = Promise.withResolvers<Request>()
    const left = Promise.withResolvers<void>()
    const handle = toNodeListener(
      (request) => {
        asked.resolve(request)
        return new Promise<Response>(() => {})
      },
      { signal },
    )
    const port = await listen(
      createServer((req, res) => {
        handle(req, res)
        // After the listener's own, which aborts.
        res.once("close", left.resolve)
      }),
    )
    const socket = await dial(port)
    socket.write("GET / HTTP/1.1\r\nhost: x\r\n\r\n")
    const request = await asked.promise
    socket.destroy()
    await left.promise
    expect(request.signal.aborted).toBe(signal)
  })
})

test.each([
  ["nothing", undefined],
  ["no headers", { status: 200, body: null }],
])(
  "a `respond` that answers with %s, which types forbid, is a 500 and no end of the process",
  async (_what, answer) => {
    const print = vi.spyOn(console, "error").mockImplementation(() => {})
    onEnd(() => print.mockRestore())
    const respond = (async () => answer) as unknown as Respond
    const port = await listen(createServer(toNodeListener({ respond })))
    const response = await fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(2000) })
    expect(response.status).toBe(500)
    expect(String(print.mock.calls[0]?.[0])).toContain("returned no Answer")
  },
)

test("a handler that returns an object with the names of a Response is a 500 and no end of the process", async () => {
  const print = vi.spyOn(console, "error").mockImplementation(() => {})
  onEnd(() => print.mockRestore())
  const handler = (() => ({ status: 200, headers: {}, body: "x" })) as unknown as () => Response
  const port = await listen(createServer(toNodeListener(handler)))
  const response = await fetch(`http://127.0.0.1:${port}`, { signal: AbortSignal.timeout(2000) })
  expect(response.status).toBe(500)
  expect(String(print.mock.calls[0]?.[0])).toContain("TypeError")
})
