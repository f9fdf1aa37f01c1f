import { once } from "node:events"
import { createServer } from "node:http"
import fc from "fast-check"
import { expect, test } from "vitest"
import { sendAnswer, toIncoming } from "../../../adapters/node.ts"
import type { Answer, Incoming } from "../../../src/server.ts"
import { dial, listen, speak } from "./servers.ts"

const serve = (respond: (incoming: Incoming) => Answer | Promise<Answer>): Promise<number> =>
  listen(createServer(async (req, res) => sendAnswer(res, await respond(toIncoming(req, res)))))

const ok = (body: Answer["body"], headers: Answer["headers"] = {}): Answer => ({ status: 200, headers, body })

/** The body of an answer to a request in raw lines. */
const ask = async (port: number, head: string, body = ""): Promise<string> => {
  const answer = await speak(port, `${head}\r\nhost: a\r\nconnection: close\r\n\r\n${body}`)
  return answer.slice(answer.indexOf("\r\n\r\n") + 4)
}

// But for spaces around the whole: a Request trims what it copies.
test("headers read as those of a Request do, however often and in whatever spelling they were sent", async () => {
  const names = ["range", "Range", "CONTENT-TYPE", "content-type", "cookie", "Cookie", "x-a", "authorization"]
  const port = await serve((incoming) => {
    const { headers } = incoming.toRequest!()
    const differing = [...names.map((name) => name.toLowerCase()), "x-missing"].filter(
      (name) =>
        incoming.headers.get(name)?.trim() !== headers.get(name)?.trim() ||
        incoming.headers.has(name) !== headers.has(name),
    )
    return ok(JSON.stringify(differing))
  })
  const value = fc.string({ unit: fc.constantFrom(..."ab=,; \té") })
  const sent = fc.array(fc.tuple(fc.constantFrom(...names), value), { maxLength: 8 })
  await fc.assert(
    fc.asyncProperty(sent, async (lines) => {
      expect(await ask(port, ["GET / HTTP/1.1", ...lines.map((line) => line.join(": "))].join("\r\n"))).toBe("[]")
    }),
    { numRuns: 60 },
  )
})

test("its Request is made once, can be copied, and has its body behind it when that was read", async () => {
  const port = await serve(async (incoming) => {
    const { done, value } = await incoming.body!.getReader().read()
    const request = incoming.toRequest!()
    const copy = new Request(request.url, { method: request.method, headers: request.headers })
    return ok(
      JSON.stringify({
        read: done ? "" : new TextDecoder().decode(value),
        isSame: request === incoming.toRequest!(),
        isRequest: request instanceof Request,
        isUsed: request.bodyUsed,
        again: await request.text().catch((cause: Error) => cause.name),
        copy: [copy.method, copy.url, copy.headers.get("x-a")],
      }),
    )
  })
  expect(JSON.parse(await ask(port, "POST /x HTTP/1.1\r\nx-a: 1\r\ncontent-length: 3", "abc"))).toEqual({
    read: "abc",
    isSame: true,
    isRequest: true,
    isUsed: true,
    again: "TypeError",
    copy: ["POST", "http://a/x", "1"],
  })
})

test("its Request has no header that was not sent, also when the body was read", async () => {
  const port = await serve(async (incoming) => {
    await incoming.body!.getReader().read()
    return ok(JSON.stringify([...incoming.toRequest!().headers]))
  })
  const sent = [
    ["connection", "close"],
    ["content-length", "3"],
    ["host", "a"],
  ]
  expect(JSON.parse(await ask(port, "POST / HTTP/1.1\r\ncontent-length: 3", "abc"))).toEqual(sent)
})

test("its Request has the whole body where nobody has read it", async () => {
  const port = await serve(async (incoming) => ok(await incoming.toRequest!().text()))
  expect(await ask(port, "PUT / HTTP/1.1\r\ncontent-length: 3", "abc")).toBe("abc")
})

test("a signal that is asked for after the client has left says so", async () => {
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const port = await listen(
    createServer(async (req, res) => {
      const incoming = toIncoming(req, res)
      await once(res, "close")
      resolve(incoming.toRequest!().signal.aborted)
    }),
  )
  const socket = await dial(port)
  socket.write("GET / HTTP/1.1\r\nhost: a\r\n\r\n")
  setTimeout(() => socket.destroy(), 20)
  expect(await promise).toBe(true)
})

test("of a body that breaks off everything that has arrived is read before the error", async () => {
  const { promise, resolve } = Promise.withResolvers<ReadonlyArray<string>>()
  const port = await listen(
    createServer(async (req, res) => {
      const reader = toIncoming(req, res).body!.getReader()
      const read = [Buffer.from((await reader.read()).value!).toString()]
      await once(res, "close")
      for (;;) {
        const next = await reader.read().catch((cause: Error) => cause)
        if (next instanceof Error) return resolve([...read, next.message])
        read.push(Buffer.from(next.value!).toString())
      }
    }),
  )
  const socket = await dial(port)
  socket.write("PUT / HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\nabc")
  setTimeout(() => socket.write("def"), 20)
  setTimeout(() => socket.destroy(), 60)
  expect(await promise).toEqual([
    "abc",
    "def",
    "The client closed the connection before the request's body was complete.",
  ])
})

test.each([
  ["text", "höhö", "6"],
  ["bytes", new TextEncoder().encode("höhö"), "6"],
  ["nothing", "", "0"],
])("an answer of %s is sent with its length; to HEAD without it", async (_, body, length) => {
  const port = await serve(() => ok(body, { "x-a": "b" }))
  const got = await fetch(`http://127.0.0.1:${port}`)
  expect([got.headers.get("content-length"), got.headers.get("x-a")]).toEqual([length, "b"])
  expect(await got.text()).toBe(length === "0" ? "" : "höhö")
  const head = await fetch(`http://127.0.0.1:${port}`, { method: "HEAD" })
  expect([head.status, await head.text()]).toEqual([200, ""])
})
