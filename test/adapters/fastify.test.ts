import { Transform } from "node:stream"
import { connect } from "node:http2"
import { once } from "node:events"
import { gunzipSync, gzipSync } from "node:zlib"
import Fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from "fastify"
import { describe, expect, expectTypeOf, onTestFinished, test } from "vitest"
import * as express from "../../adapters/express.ts"
import { createRouteHandler, createSluice, type FileRouter } from "../../adapters/fastify.ts"
import { describeAdapter } from "../conformance/adapter.ts"
import { probe } from "./apps/probe.ts"
import { createTestRouter, probeHeader } from "./apps/test-router.ts"
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
