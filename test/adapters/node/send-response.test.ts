import { describe, expect, test, vi } from "vitest"
import { sendResponse } from "../../../adapters/node.ts"
import { bothDoors, dial, serve as serveBy, serveRaw, speak } from "./servers.ts"

describe.each(bothDoors)("%s", (door) => {
  const serve = (fetch: Parameters<typeof serveBy>[0]) => serveBy(fetch, door)

  describe("headers", () => {
    test("repeated ones of the request are all there, cookies as one list", async () => {
      const port = await serve((request) =>
        Response.json([request.headers.get("x-many"), request.headers.get("cookie")], {
          headers: { connection: "close" },
        }),
      )
      const answer = await speak(
        port,
        "GET / HTTP/1.1\r\nhost: a\r\nx-many: 1\r\nx-many: 2\r\ncookie: a=1\r\ncookie: b=2\r\n\r\n",
      )
      expect(answer.split("\r\n\r\n")[1]).toBe('["1, 2","a=1; b=2"]')
    })

    test("several cookies of the answer stay several, beside those set before", async () => {
      const port = await serveRaw((_req, res) => {
        res.setHeader("set-cookie", "first=0")
        res.setHeader("vary", "origin")
        const headers = new Headers({ vary: "accept" })
        headers.append("set-cookie", "a=1; expires=Thu, 01 Jan 2032 00:00:00 GMT")
        headers.append("set-cookie", "b=2")
        void sendResponse(res, new Response(null, { headers }))
      })
      const response = await fetch(`http://127.0.0.1:${port}`)
      expect(response.headers.getSetCookie()).toEqual(["first=0", "a=1; expires=Thu, 01 Jan 2032 00:00:00 GMT", "b=2"])
      expect(response.headers.get("vary")).toBe("origin, accept")
    })

    test("a body that is there at once goes with its length", async () => {
      const port = await serve(() => new Response("höhö", { status: 201, statusText: "Made" }))
      const response = await fetch(`http://127.0.0.1:${port}`)
      // An answer has no words for its status.
      const statusText = door === "as a Request" ? "Made" : "Created"
      expect([response.status, response.statusText, response.headers.get("content-length")]).toEqual([
        201,
        statusText,
        "6",
      ])
      expect(await response.text()).toBe("höhö")
    })
  })

  describe("the answer's body", () => {
    test("arrives in the pieces it was written in", async () => {
      let controller!: ReadableStreamDefaultController<Uint8Array>
      const port = await serve(() => new Response(new ReadableStream({ start: (it) => void (controller = it) })))
      // The headers come before the first piece.
      const response = await fetch(`http://127.0.0.1:${port}`)
      const reader = response.body!.getReader()
      for (const piece of ["one", "two", "three"]) {
        controller.enqueue(new TextEncoder().encode(piece))
        expect(new TextDecoder().decode((await reader.read()).value)).toBe(piece)
      }
      controller.close()
      expect((await reader.read()).done).toBe(true)
    })

    test("is not pulled faster than the client reads", async () => {
      let pulled = 0
      const port = await serve(
        () =>
          new Response(
            new ReadableStream({
              pull(controller) {
                pulled += 1_000_000
                if (pulled > 500e6) controller.close()
                else controller.enqueue(new Uint8Array(1_000_000))
              },
            }),
          ),
      )
      const socket = await dial(port)
      socket.pause()
      socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
      const state = await vi.waitUntil(
        () => {
          const before = pulled
          return new Promise((settle) => setTimeout(() => settle(pulled > 0 && pulled === before && "stalled"), 200))
        },
        { timeout: 10_000 },
      )
      expect(state).toBe("stalled")
      expect(pulled).toBeLessThan(100e6)
    })

    test.each([
      ["before the first byte", 0],
      ["in the middle", 1],
    ])("that fails %s breaks the connection", async (_, pieces) => {
      const port = await serve(() => {
        let left = pieces
        return new Response(
          new ReadableStream({
            async pull(controller) {
              await new Promise((resolve) => setImmediate(resolve))
              if (left-- > 0) controller.enqueue(new Uint8Array(10))
              else controller.error(new Error("disk on fire"))
            },
          }),
        )
      })
      await expect(fetch(`http://127.0.0.1:${port}`).then((response) => response.text())).rejects.toThrow()
      // The server lives on.
      await expect(fetch(`http://127.0.0.1:${port}`).then((response) => response.text())).rejects.toThrow()
    })

    test.each([
      ["HEAD", 200],
      ["GET", 204],
      ["GET", 304],
    ])("is not sent for %s %i, and the connection goes on", async (method, status) => {
      const cancelled = vi.fn()
      const port = await serve((request) =>
        request.url.endsWith("/last")
          ? new Response("last", { headers: { connection: "close" } })
          : new Response(status === 200 ? new ReadableStream({ cancel: cancelled }) : null, {
              status,
              headers: { "x-seen": "yes" },
            }),
      )
      const answer = await speak(port, `${method} / HTTP/1.1\r\nhost: a\r\n\r\nGET /last HTTP/1.1\r\nhost: a\r\n\r\n`)
      const [first, second] = answer.split("\r\n\r\n")
      expect(first).toContain("x-seen: yes")
      expect(second).toMatch(/^HTTP\/1\.1 200/)
      expect(cancelled).toHaveBeenCalledTimes(status === 200 ? 1 : 0)
    })
  })
})
