import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest"
import { type Post, PostFailed, postJson } from "../../src/server-kit/post-json.ts"

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

const post = (options: Partial<Post> = {}) =>
  Effect.runPromise(
    Effect.result(
      postJson({ url: `${origin}/a?b=c`, headers: {}, body: '{"a":"ü"}', timeout: 60_000, fetch, ...options }),
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
    expect(Result.isSuccess(outcome) && (await outcome.success.text())).toBe("{}")
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

  it("leaves a long answer to the caller, beyond its timeout: that is for the headers", async () => {
    let finish = () => {}
    answer = (_, response) => {
      response.write("first ")
      finish = () => response.end("last")
    }
    const outcome = await post({ timeout: 1000 })
    if (Result.isFailure(outcome)) throw outcome.failure
    const reader = outcome.success.body!.pipeThrough(new TextDecoderStream()).getReader()
    expect((await reader.read()).value).toBe("first ")
    finish()
    expect((await reader.read()).value).toBe("last")
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
    expect(await failureOf({ url: "nowhere" })).toMatchObject({ reason: "network" })
  })

  it("because fetch threw something odd", async () => {
    for (const thrown of [undefined, "no", new Error("")]) {
      const failure = await failureOf({ fetch: () => Promise.reject(thrown) })
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
  const running = Effect.runPromise(postJson({ url: origin, headers: {}, body: "{}", timeout: 60_000, fetch }), {
    signal: controller.signal,
  })
  const outcome = expect(running).rejects.toThrow()
  await arrived.promise
  controller.abort()
  await closed.promise
  await outcome
})
