import { Transform } from "node:stream"
import { json } from "node:stream/consumers"
import { type IncomingMessage, request } from "node:http"
import { connect } from "node:http2"
import { once } from "node:events"
import { createGunzip, gzipSync } from "node:zlib"
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify"
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest"
import * as express from "../../adapters/express.ts"
import { createRouteHandler, createSluice, type FastifyNative, type FileRouter } from "../../adapters/fastify.ts"
import { describeAdapter } from "../conformance/adapter.ts"
import { encodeToken, names } from "../../src/protocol.ts"
import { probe } from "../../src/conformance/adapter/probe.ts"
import { startRecordingIngest } from "../../src/conformance/adapter/recording-ingest.ts"
import { createTestRouter, probeHeader } from "../../src/conformance/adapter/test-router.ts"
import { createUploadPage } from "./apps/upload-page.ts"

const createTestPlugin = (options: object) =>
  createRouteHandler({
    router: createTestRouter(createSluice(), ({ req }) => (req as { probe?: string }).probe),
    ...options,
    logLevel: "None",
  })

const createApp = (): FastifyInstance =>
  Fastify({ forceCloseConnections: true })
    .decorateRequest("probe", null)
    .addHook("onRequest", async (request) => {
      Object.assign(request, { probe: request.headers[probeHeader] ?? null })
    })

describeAdapter("Fastify", async (configuration) => {
  const plugin = createTestPlugin(configuration)
  const app = createApp()
  await app.register(
    async (nested) => {
      await nested.register(plugin, { prefix: "/api/sluice" })
    },
    { prefix: "/nested" },
  )
  app.all("/probe", (request) => probe(new Request(new URL(request.url, "http://app.example"))))
  const page = await createUploadPage("/nested/api/sluice")
  app.get("/upload", (_request, reply) => reply.type("text/html").send(page))
  await app.register(async (scope) => {
    scope.addContentTypeParser("application/json", { parseAs: "string" }, async () => "parsed by the app")
    await scope.register(plugin, { prefix: "/json/api/sluice" })
  })
  await app.register(async (scope) => {
    // As fastify-raw-body does it.
    scope.addHook("preParsing", (_request, _reply, payload, done) => {
      payload.on("data", () => {})
      done(null, payload)
    })
    await scope.register(plugin, { prefix: "/beside/api/sluice" })
  })
  await app.register(async (scope) => {
    scope.addHook("preParsing", async (_request, _reply, payload) =>
      payload.pipe(new Transform({ transform: (chunk, _encoding, done) => done(null, chunk) })),
    )
    await scope.register(plugin, { prefix: "/piped/api/sluice" })
  })
  const origin = await app.listen({ host: "127.0.0.1", port: 0 })
  return {
    url: `${origin}/nested/api/sluice`,
    probeUrl: `${origin}/probe`,
    pageUrl: `${origin}/upload`,
    runs: "Fastify 5",
    parsers: [
      { name: "a JSON parser of the app", url: `${origin}/json/api/sluice`, callback: "works" },
      { name: "a hook that reads along", url: `${origin}/beside/api/sluice`, callback: "works" },
      { name: "a hook that replaces the stream", url: `${origin}/piped/api/sluice`, callback: "works" },
    ],
    close: () => app.close(),
  }
})

/** An app that listens until the test ends, and what its plugin wants. */
const serve = async (build: (plugin: ReturnType<typeof createTestPlugin>) => Promise<FastifyInstance>) => {
  const ingest = await startRecordingIngest("sk_fastify", "fastify")
  const token = encodeToken({ apiKey: "sk_fastify", appId: "fastify", regions: ["local"] })
  const app = await build(createTestPlugin({ token, ingestUrl: ingest.url }))
  const origin = await app.listen({ host: "127.0.0.1", port: 0 })
  onTestFinished(async () => {
    await app.close()
    await ingest.close()
  })
  const upload = (init: { headers?: Record<string, string>; body?: Uint8Array<ArrayBuffer> | string } = {}) =>
    fetch(`${origin}/api/sluice?${names.action.type}=${names.action.upload}&${names.action.slug}=note`, {
      method: "POST",
      body: wanted,
      ...init,
      headers: { "content-type": "application/json", ...init.headers },
    })
  return { origin, ingest, upload }
}

const wanted = JSON.stringify({ files: [{ name: "a.txt", size: 1, type: "text/plain" }] })

describe("a Fastify application", () => {
  test("keeps its parsers on its other routes, beside and below the plugin's prefix", async () => {
    const { origin } = await serve(async (plugin) => {
      const app = createApp()
      app.post("/before", (request, reply) => reply.send({ body: request.body }))
      await app.register(plugin, { prefix: "/api/sluice" })
      app.post("/api/sluice/other", (request, reply) => reply.send({ body: request.body }))
      return app
    })
    for (const path of ["/before", "/api/sluice/other"]) {
      const init = { method: "POST", headers: { "content-type": "application/json" }, body: '{"a":1}' }
      expect(await (await fetch(origin + path, init)).json()).toEqual({ body: { a: 1 } })
    }
  })

  test("has its hooks run, on the request and on the answer", async () => {
    const { upload } = await serve(async (plugin) => {
      const app = createApp()
      app.addHook("preHandler", async (request, reply) => {
        reply.header("access-control-allow-origin", "https://app.example")
        if (request.headers.authorization === undefined) await reply.code(401).send({ who: "are you?" })
      })
      app.addHook("onSend", async (_request, reply, payload) => {
        reply.header("set-cookie", "session=1")
        return payload
      })
      await app.register(plugin, { prefix: "/api/sluice" })
      return app
    })
    expect((await upload()).status).toBe(401)
    const response = await upload({ headers: { authorization: "Bearer x" } })
    expect([
      response.status,
      response.headers.getSetCookie(),
      response.headers.get("access-control-allow-origin"),
    ]).toEqual([200, ["session=1"], "https://app.example"])
  })

  test("may inflate bodies by a hook", async () => {
    const { upload } = await serve(async (plugin) => {
      const app = createApp()
      // As @fastify/compress does it.
      app.addHook("preParsing", async (request, _reply, payload) => {
        delete request.headers["content-encoding"]
        delete request.headers["content-length"]
        return payload.pipe(createGunzip())
      })
      await app.register(plugin, { prefix: "/api/sluice" })
      return app
    })
    const send = (text: string) =>
      upload({ headers: { "content-encoding": "gzip" }, body: new Uint8Array(gzipSync(text)) })
    const response = await send(wanted)
    expect([response.status, await response.json()]).toMatchObject([200, [{ name: "a.txt" }]])
    const bomb = await send(" ".repeat(50_000_000))
    expect([bomb.status, await bomb.json()]).toMatchObject([413, { code: "BAD_REQUEST" }])
  })

  test("answers a body without end in the middle, and hears out its client", async () => {
    const { origin } = await serve(async (plugin) => {
      const app = createApp()
      await app.register(plugin, { prefix: "/api/sluice" })
      return app
    })
    const query = `${names.action.type}=${names.action.upload}&${names.action.slug}=note`
    const client = request(`${origin}/api/sluice?${query}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
    })
    const piece = new Uint8Array(1024 * 1024)
    const send = () => new Promise((resolve) => client.write(piece, resolve))
    const answer = once(client, "response").then(([response]) => response as IncomingMessage)
    const answered = answer.then(() => true)
    const isAnswered = () => Promise.race([answered, send().then(() => false)])
    let sent = 0
    while (!(await isAnswered())) expect(sent++).toBeLessThan(100)
    const response = await answer
    expect([response.statusCode, await json(response)]).toMatchObject([413, { code: "BAD_REQUEST" }])
    for (let i = 0; i < 50; i++) await send()
    client.end()
    await once(client, "finish")
  })

  test("may rewrite addresses: callbacks go to the one that the client used", async () => {
    const { origin, ingest } = await serve(async (plugin) => {
      const app = Fastify({
        forceCloseConnections: true,
        rewriteUrl: ({ url = "/" }) => url.replace(/^\/v1/, ""),
      })
      await app.register(plugin, { prefix: "/api/sluice" })
      return app
    })
    const query = `${names.action.type}=${names.action.upload}&${names.action.slug}=note`
    const response = await fetch(`${origin}/v1/api/sluice?${query}`, {
      method: "POST",
      body: wanted,
      headers: { "content-type": "application/json" },
    })
    expect(response.status).toBe(200)
    expect(ingest.registrations.at(-1)?.callbackUrl).toBe(`${origin}/v1/api/sluice`)
  })

  test("may speak HTTP/2", async () => {
    const { origin, ingest } = await serve(async (plugin) => {
      const app = Fastify({ http2: true })
      await app.register(plugin, { prefix: "/api/sluice" })
      return app as unknown as FastifyInstance
    })
    const session = connect(origin)
    onTestFinished(() => session.destroy())
    const stream = session.request({
      ":method": "POST",
      ":path": `/api/sluice?${names.action.type}=${names.action.upload}&${names.action.slug}=note`,
      "content-type": "application/json",
    })
    stream.end(wanted)
    const [head] = await once(stream, "response")
    expect(head[":status"]).toBe(200)
    expect(await json(stream)).toMatchObject([{ name: "a.txt" }])
    expect(ingest.registrations.at(-1)?.callbackUrl).toBe(`${origin}/api/sluice`)
  })
})

test("user code gets Fastify's own types; a router of another framework is refused", () => {
  const f = createSluice()
  const router = {
    a: f({ blob: {} })
      .middleware(({ req, reply, request }) => {
        expectTypeOf(req).toEqualTypeOf<FastifyRequest>()
        expectTypeOf(reply).toEqualTypeOf<FastifyReply>()
        expectTypeOf(request).toEqualTypeOf<Request>()
        return {}
      })
      .onUploadComplete(() => null),
  } satisfies FileRouter<FastifyNative>
  createRouteHandler({ router })
  const other = {
    a: express
      .createSluice()({ blob: {} })
      .onUploadComplete(({ req }) => req.ip ?? null),
  }
  // @ts-expect-error its code wants a request of Express
  createRouteHandler({ router: other })
})
