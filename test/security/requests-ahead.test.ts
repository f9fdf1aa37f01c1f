import { createServer } from "node:http"
import { expect, it } from "vitest"
import { createRouteHandler, createSluice, toNodeListener } from "../../adapters/node.ts"
import { encodeToken } from "../../src/protocol.ts"
import { dial, listen } from "../adapters/node/servers.ts"

const count = 20_000

/** Sends a request that gets no answer, and then many more on the same connection. Resolves when it is closed. */
const sendAhead = async (port: number, first: string, next: string): Promise<void> => {
  const socket = await dial(port)
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()))
  socket.on("error", () => {}).resume()
  socket.write(first + next.repeat(count))
  await closed
}

const get = "GET / HTTP/1.1\r\nhost: a\r\n\r\n"

it("closes a connection on which more than 32 requests wait behind one that is silent, and runs none of them", async () => {
  const asked: Array<string> = []
  const port = await listen(
    createServer(
      toNodeListener((request) => {
        asked.push(request.method)
        return request.method === "PUT" ? new Promise<Response>(() => {}) : Response.json("there")
      }),
    ),
  )
  await sendAhead(port, "PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: 2\r\n\r\nhi", get)
  expect(asked).toEqual(["PUT"])
  const answer = await fetch(`http://127.0.0.1:${port}/`)
  expect(await answer.json()).toBe("there")
})

it("closes a connection that sends more than 32 uploads ahead to an app, and asks the app for no more", async () => {
  let asked = 0
  const f = createSluice()
  const handler = createRouteHandler({
    router: {
      a: f({ blob: {} })
        .middleware(() => {
          asked++
          return new Promise<{}>(() => {})
        })
        .onUploadComplete(() => null),
    },
    token: encodeToken({ apiKey: "sk_ahead", appId: "ahead", regions: ["local"], ingestUrl: "http://127.0.0.1:4" }),
    logLevel: "None",
    isDev: true,
  })
  const port = await listen(createServer(handler))
  const body = JSON.stringify({ files: [{ name: "a", size: 1, type: "text/plain" }] })
  const post = `POST /?slug=a&actionType=upload HTTP/1.1\r\nhost: localhost:${port}\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`
  await sendAhead(port, post, post)
  expect(asked).toBe(32)
  expect((await fetch(`http://localhost:${port}/`)).status).toBe(200)
})

it("answers 32 requests that were sent ahead on one connection, in order", async () => {
  let asked = 0
  const port = await listen(createServer(toNodeListener(() => new Response(`<${asked++}>`))))
  const socket = await dial(port)
  let text = ""
  socket.on("data", (data) => (text += data.toString()))
  socket.write(get.repeat(32))
  await expect.poll(() => text.match(/<\d+>/g)?.length).toBe(32)
  expect(text.match(/<\d+>/g)).toEqual(Array.from({ length: 32 }, (_, i) => `<${i}>`))
  socket.destroy()
})
