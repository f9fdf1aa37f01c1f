import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { sendWithFetch } from "../../src/http/fetch-transport.ts"
import { createNodeTransport } from "../../src/http/node-transport.ts"
import { readWhole } from "../../src/http/read-answer.ts"
import { openPost, type Post, PostFailed, postJson } from "../../src/server-kit/post-json.ts"

interface Seen {
  readonly method: string | undefined
  readonly url: string | undefined
  readonly headers: IncomingMessage["headers"]
  readonly body: string
}

let origin = ""
let seen: Array<Seen> = []
let answer: (request: IncomingMessage, response: ServerResponse) => void = () => {}

const server = createServer(async (request, response) => {
  let body = ""
  for await (const chunk of request.setEncoding("utf8")) body += chunk
  seen.push({ method: request.method, url: request.url, headers: request.headers, body })
  answer(request, response)
})
beforeAll(async () => {
  await new Promise<void>((done) => server.listen(0, "127.0.0.1", done))
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterAll(async () => {
  server.closeAllConnections()
  await new Promise((done) => server.close(done))
})
beforeEach(() => {
  seen = []
})

const byNode = createNodeTransport(256)
afterAll(byNode.close)

describe.each([
  ["fetch", sendWithFetch(fetch)],
  ["node:http", byNode.send],
])("over %s", (_name, send) => {
  const post = (options: Partial<Post> = {}) =>
    Effect.runPromise(
      Effect.result(
        postJson({ url: `${origin}/a?b=c`, headers: {}, body: '{"a":"ü"}', timeout: 60_000, send, ...options }),
      ),
    )
  const failureOf = async (options: Partial<Post> = {}) => {
    const outcome = await post(options)
    if (Result.isSuccess(outcome)) throw new Error(`It was answered ${outcome.success.status}.`)
    return outcome.failure
  }

  describe("a post", () => {
    it("is sent with its body as it stands and its headers, once", async () => {
      answer = (_, response) => response.end("{}")
      const outcome = await post({ headers: { "x-a": "1" } })
      expect(Result.isSuccess(outcome) && outcome.success.body).toBe("{}")
      expect(seen).toEqual([
        {
          method: "POST",
          url: "/a?b=c",
          headers: expect.objectContaining({ "content-type": "application/json", "x-a": "1", "content-length": "10" }),
          body: '{"a":"ü"}',
        },
      ])
    })

    it.each([200, 201, 202, 204])("succeeds with %d", async (status) => {
      answer = (_, response) => response.writeHead(status).end()
      const outcome = await post()
      expect(Result.isSuccess(outcome) && outcome.success.status).toBe(status)
    })

    it("says what its answer begins with, and does not wait for the rest", async () => {
      answer = (_, response) => {
        response.writeHead(200, { "x-b": "2" })
        response.write("é".repeat(600)) // and never ends
      }
      const outcome = await post()
      if (Result.isFailure(outcome)) throw outcome.failure
      const { status, headers, body } = outcome.success
      expect([status, headers.get("X-B"), headers.get("x-none"), body]).toEqual([200, "2", null, "é".repeat(512)])
    })

    it("has all of an answer that is decoded, up to a maximum of bytes", async () => {
      const text = "é".repeat(40_000)
      answer = (_, response) => response.end(text)
      const outcome = await post({ read: (answer) => readWhole(answer, 80_000) })
      expect(Result.isSuccess(outcome) && outcome.success.body).toBe(text)
      const failure = await failureOf({ read: (answer) => readWhole(answer, 79_999) })
      expect(failure.message).toBe("There was no answer: one of more than 78.1KB is not read.")
    })

    it("can be left open: then only its head has to arrive in time", async () => {
      let finish = () => {}
      answer = (_, response) => {
        response.write("first ")
        finish = () => response.end("last")
      }
      const opened = await Effect.runPromise(openPost({ url: origin, headers: {}, body: "{}", timeout: 1000, send }))
      const decoder = new TextDecoder()
      let text = ""
      await opened.read((piece) => {
        text += decoder.decode(piece)
        if (text === "first ") finish()
        return true
      })
      expect(text).toBe("first last")
    })
  })

  describe("a post that fails", () => {
    it.each([
      [400, false],
      [401, false],
      [403, false],
      [404, false],
      [408, true],
      [409, false],
      [410, false],
      [413, false],
      [422, false],
      [429, true],
      [500, true],
      [502, true],
      [503, true],
      [504, true],
    ])("with %d: worth a retry: %s", async (status, isRetryable) => {
      answer = (_, response) => response.writeHead(status).end("why")
      const failure = await failureOf()
      expect(failure).toBeInstanceOf(PostFailed)
      expect(failure).toMatchObject({ _tag: "PostFailed", reason: "status", status, body: "why", isRetryable })
      expect(failure.message).toBe(`The answer was ${status}: why`)
    })

    it.each([301, 302, 303, 307, 308])("with %d is not led elsewhere: its headers may hold a key", async (status) => {
      answer = (request, response) =>
        request.url === "/elsewhere" ? response.end("{}") : response.writeHead(status, { location: "/elsewhere" }).end()
      expect(await failureOf({ headers: { "x-key": "secret" } })).toMatchObject({
        reason: "status",
        status,
        isRetryable: false,
      })
      expect(seen.map(({ url }) => url)).toEqual(["/a?b=c"])
    })

    it("keeps the first 512 characters of the answer, and does not wait for the rest", async () => {
      answer = (_, response) => {
        response.writeHead(500)
        response.write("é".repeat(600)) // and never ends
      }
      expect((await failureOf()).body).toBe("é".repeat(512))
    })

    it("keeps what came of an answer that broke off", async () => {
      answer = (_, response) => {
        response.writeHead(500, { "content-length": "100" })
        response.write("half", () => response.destroy())
      }
      expect(await failureOf()).toMatchObject({ reason: "status", status: 500, body: "half" })
    })

    it("because an answer that is decoded broke off, or was not complete in time", async () => {
      const read: Post["read"] = (answer) => readWhole(answer, 1000)
      answer = (_, response) => {
        response.writeHead(200, { "content-length": "100" })
        response.write("half", () => response.destroy())
      }
      expect(await failureOf({ read })).toMatchObject({ reason: "network", isRetryable: true })
      answer = (_, response) => void response.write("half")
      expect(await failureOf({ timeout: 50, read })).toMatchObject({ reason: "timeout", isRetryable: true })
    })

    it("for want of an answer in time", async () => {
      answer = () => {}
      const failure = await failureOf({ timeout: 20 })
      expect(failure).toMatchObject({ reason: "timeout", isRetryable: true, message: "There was no answer in time." })
      expect(failure.status).toBeUndefined()
    })

    it("because the connection was cut", async () => {
      answer = (request) => request.socket.destroy()
      const failure = await failureOf()
      expect(failure).toMatchObject({ reason: "network", isRetryable: true })
      expect(failure.message).toMatch(/^There was no answer: .+\.$/)
    })

    it("because nothing listens there, or the URL is none", async () => {
      const closed = createServer()
      await new Promise<void>((done) => closed.listen(0, "127.0.0.1", done))
      const { port } = closed.address() as AddressInfo
      await new Promise((done) => closed.close(done))
      const refused = await failureOf({ url: `http://127.0.0.1:${port}/` })
      expect(refused).toMatchObject({ reason: "network", isRetryable: true })
      expect(refused.message).toContain("ECONNREFUSED")
      // Two addresses: the error of all of them has no words of its own.
      const both = await failureOf({ url: `http://localhost:${port}/` })
      expect(both.message).toMatch(/^There was no answer: connect ECONNREFUSED [^ ]+\.$/)
      expect(await failureOf({ url: "nowhere" })).toMatchObject({ reason: "network" })
    })

    it("because something odd was thrown", async () => {
      for (const thrown of [undefined, "no", new Error("")]) {
        const failure = await failureOf({ send: () => Promise.reject(thrown) })
        expect(failure).toMatchObject({ reason: "network", isRetryable: true })
        expect(failure.message).toMatch(/^There was no answer/)
      }
    })
  })

  it("an interrupted post closes its connection", async () => {
    const arrived = Promise.withResolvers<void>()
    const closed = Promise.withResolvers<void>()
    answer = (request) => {
      request.socket.on("close", () => closed.resolve())
      arrived.resolve()
    }
    const controller = new AbortController()
    const running = Effect.runPromise(postJson({ url: origin, headers: {}, body: "{}", timeout: 60_000, send }), {
      signal: controller.signal,
    })
    const outcome = expect(running).rejects.toThrow()
    await arrived.promise
    controller.abort()
    await closed.promise
    await outcome
  })
})
