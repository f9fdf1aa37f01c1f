import { once } from "node:events"
import http2 from "node:http2"
import { describe, expect, test } from "vitest"
import { toNodeListener } from "../../../adapters/node.ts"
import { bothDoors, doors, listen, onEnd } from "./servers.ts"

const defer = <A>() => Promise.withResolvers<A>()

describe.each(bothDoors)("HTTP/2, %s", (door) => {
  const call = async (
    handler: (request: Request) => Response | Promise<Response>,
    headers: http2.OutgoingHttpHeaders,
    body?: Uint8Array,
  ) => {
    const port = await listen(http2.createServer(toNodeListener(doors[door](handler))))
    const session = http2.connect(`http://127.0.0.1:${port}`)
    onEnd(() => session.destroy())
    const stream = session.request(headers, { endStream: body === undefined })
    if (body !== undefined) stream.on("error", () => {}).end(body)
    const [answer] = (await once(stream, "response")) as [http2.IncomingHttpHeaders]
    let text = ""
    for await (const chunk of stream.setEncoding("utf8")) text += chunk
    return { answer, text, port }
  }

  test("takes the host from :authority and joins cookies", async () => {
    const { text, answer } = await call(
      (request) =>
        new Response(`${request.url} ${request.headers.get("cookie")}`, {
          headers: [
            ["set-cookie", "a=1"],
            ["set-cookie", "b=2"],
            ["connection", "close"],
          ],
        }),
      { ":path": "/x?y", ":authority": "app.example", cookie: ["a=1", "b=2"] },
    )
    expect(text).toBe("http://app.example/x?y a=1; b=2")
    // An answer of ours sets none.
    if (door === "as a Request") expect(answer["set-cookie"]).toEqual(["a=1", "b=2"])
  })

  test("streams a body in and out", async () => {
    const { text } = await call(
      async (request) => new Response(request.body),
      { ":method": "POST" },
      Buffer.from("ab€"),
    )
    expect(text).toBe("ab€")
  })

  test.each(["get", "head", "Put", "trace"])(
    "a method %s, which is none, is a 405 with a body and without",
    async (method) => {
      for (const body of [undefined, Buffer.from("abc")]) {
        const { answer } = await call(() => new Response("reached"), { ":method": method }, body)
        expect(answer[":status"]).toBe(405)
      }
    },
  )

  test("refuses an upload without waiting for its end", async () => {
    const { text, answer } = await call(
      () => new Response("no", { status: 413 }),
      { ":method": "POST" },
      new Uint8Array(5_000_000),
    )
    expect([answer[":status"], text]).toEqual([413, "no"])
  })

  test("a body that fails resets the stream", async () => {
    const port = await listen(
      http2.createServer(
        toNodeListener(
          () =>
            new Response(
              new ReadableStream({
                async pull(controller) {
                  await new Promise((resolve) => setImmediate(resolve))
                  controller.error(new Error("disk on fire"))
                },
              }),
            ),
        ),
      ),
    )
    const session = http2.connect(`http://127.0.0.1:${port}`)
    onEnd(() => session.destroy())
    const stream = session.request({})
    stream.resume()
    const [error] = await once(stream, "error").catch((thrown) => [thrown])
    expect(String(error)).toContain("INTERNAL_ERROR")
  })

  test("a client that leaves aborts the signal", async () => {
    const aborted = defer<void>()
    const port = await listen(
      http2.createServer(
        toNodeListener((request) => {
          request.signal.addEventListener("abort", () => aborted.resolve())
          stream.close()
          return new Promise(() => {})
        }),
      ),
    )
    const session = http2.connect(`http://127.0.0.1:${port}`)
    onEnd(() => session.destroy())
    const stream = session.request({})
    await aborted.promise
  })
})
