import { createServer } from "node:http"
import express5 from "express"
// @ts-expect-error Its types are those of Express 5, as far as they are used here.
import untyped from "express4"
import Fastify from "fastify"
import { describe, expect, onTestFinished, test } from "vitest"
import * as express from "../../adapters/express.ts"
import * as fastify from "../../adapters/fastify.ts"
import * as node from "../../adapters/node.ts"
import { encodeToken, names } from "../../src/protocol.ts"
import { listen } from "./apps/listen.ts"
import { startRecordingIngest } from "../../src/conformance/adapter/recording-ingest.ts"
import { createTestRouter } from "../../src/conformance/adapter/test-router.ts"

const express4 = untyped as typeof express5

interface Options {
  readonly token: string
  readonly ingestUrl: string
  readonly trustProxy?: boolean
  readonly allowedHosts?: string
  readonly logLevel: "None"
}

type Start = (options: Options) => Promise<{ readonly origin: string; readonly close: () => Promise<unknown> }>

const withExpress =
  (build: (app: ReturnType<typeof express5>, handler: ReturnType<typeof express.createRouteHandler>) => unknown) =>
  (create: typeof express5): Start =>
  (options) => {
    const router = createTestRouter(express.createSluice(), () => null)
    const app = create().set("trust proxy", true)
    build(app, express.createRouteHandler({ router, ...options }))
    return listen(createServer(app))
  }

const used = withExpress((app, handler) => app.use("/api/sluice", handler))
const routed = withExpress((app, handler) => app.all("/api/sluice", handler))
const nested = withExpress((app, handler) => app.use("/api", express5.Router().use("/sluice", handler)))

const withFastify: Start = async (options) => {
  const router = createTestRouter(fastify.createSluice(), () => null)
  const app = Fastify({ trustProxy: true, forceCloseConnections: true })
  await app.register(fastify.createRouteHandler({ router, ...options }), { prefix: "/api/sluice" })
  return { origin: await app.listen({ host: "127.0.0.1", port: 0 }), close: () => app.close() }
}

const withNode: Start = (options) => {
  const router = createTestRouter(node.createSluice(), () => null)
  return listen(createServer(node.createRouteHandler({ router, ...options })))
}

describe.each<[string, Start]>([
  ["Express 5, app.use()", used(express5)],
  ["Express 5, app.all()", routed(express5)],
  ["Express 5, a Router", nested(express5)],
  ["Express 4, app.use()", used(express4)],
  ["Express 4, app.all()", routed(express4)],
  ["Express 4, a Router", nested(express4)],
  ["Fastify", withFastify],
  ["node:http", withNode],
])("%s", (_, start) => {
  const serve = async (options: { readonly trustProxy?: boolean; readonly allowedHosts?: string } = {}) => {
    const ingest = await startRecordingIngest("sk_node", "node")
    const token = encodeToken({ apiKey: "sk_node", appId: "node", regions: ["local"] })
    const app = await start({ token, ingestUrl: ingest.url, logLevel: "None", ...options })
    onTestFinished(async () => {
      await app.close()
      await ingest.close()
    })
    /** Asks for an upload, and returns where its callbacks will go. */
    const callbackUrlOf = async (path: string, headers: Record<string, string> = {}) => {
      const query = `${names.action.type}=${names.action.upload}&${names.action.slug}=note`
      const response = await fetch(`${app.origin}${path}?${query}`, {
        method: "POST",
        headers: { "content-type": "application/json", ...headers },
        body: JSON.stringify({ files: [{ name: "a.txt", size: 1, type: "text/plain" }] }),
      })
      expect([response.status, await response.json()]).toMatchObject([200, [{ name: "a.txt" }]])
      return ingest.registrations.at(-1)?.callbackUrl
    }
    return { origin: app.origin, callbackUrlOf }
  }

  const forwarded = {
    "x-forwarded-proto": "https, http",
    "x-forwarded-host": "public.example, inner.example",
    "x-forwarded-prefix": "/shop, /eu",
    "x-forwarded-for": "192.0.2.1",
  }

  test("believes a proxy where Sluice is told to", async () => {
    const { callbackUrlOf } = await serve({ trustProxy: true, allowedHosts: "public.example" })
    expect(await callbackUrlOf("/api/sluice", forwarded)).toBe("https://public.example/shop/eu/api/sluice")
  })

  test("believes nobody else, also where the framework trusts its proxies", async () => {
    const { origin, callbackUrlOf } = await serve()
    expect(await callbackUrlOf("/api/sluice", forwarded)).toBe(`${origin}/api/sluice`)
  })

  test("answers with a slash at the end too", async () => {
    const { origin, callbackUrlOf } = await serve()
    expect(await callbackUrlOf("/api/sluice/")).toBe(`${origin}/api/sluice/`)
  })

  test("refuses HEAD, OPTIONS and others with what is allowed", async () => {
    const { origin } = await serve()
    for (const method of ["HEAD", "OPTIONS", "PUT", "DELETE", "PATCH"]) {
      const response = await fetch(`${origin}/api/sluice`, { method })
      expect([method, response.status, response.headers.get("allow")]).toEqual([method, 405, "GET, POST"])
      const text = await response.text()
      if (method === "HEAD") expect(text).toBe("")
      else expect(JSON.parse(text)).toMatchObject({ code: "METHOD_NOT_ALLOWED" })
    }
  })
})
