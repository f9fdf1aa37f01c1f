import type { RequestEvent } from "@sveltejs/kit"
import type { APIContext } from "astro"
import { H3, type H3Event } from "h3"
import { Hono } from "hono"
import { describe, expect, test } from "vitest"
import * as astro from "../../adapters/astro.ts"
import * as h3 from "../../adapters/h3.ts"
import * as hono from "../../adapters/hono.ts"
import * as sveltekit from "../../adapters/sveltekit.ts"
import { encodeToken, names } from "../../src/protocol.ts"
import * as server from "../../src/server.ts"
import { createTestRouter } from "../../src/conformance/adapter/test-router.ts"

const uploadRequest = () =>
  new Request(
    `http://app.example${names.adapterPath}?${names.action.type}=${names.action.upload}&${names.action.slug}=note`,
    {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ files: [{ name: "a.txt", size: 1, type: "text/plain" }] }),
    },
  )

/** An ingest that acknowledges only when it is told to, and a platform that counts the work it is handed. */
const createPlatform = () => {
  const { promise, resolve } = Promise.withResolvers<Response>()
  const work: Array<Promise<unknown>> = []
  return {
    work,
    acknowledge: () => resolve(Response.json({ ok: true })),
    // A method: the real ones refuse to be called without their object.
    context: {
      waitUntil(this: unknown, promised: Promise<unknown>) {
        if (this === undefined) throw new TypeError("Illegal invocation")
        work.push(promised)
      },
      passThroughOnException() {},
      props: {},
    },
    options: {
      token: encodeToken({ apiKey: "sk_x", appId: "x", regions: ["local"], ingestUrl: "http://ingest.example" }),
      allowedHosts: "app.example",
      logLevel: "None" as const,
      fetch: () => promise,
    },
  }
}

describe("where the platform takes work along, the answer does not wait for the registration", () => {
  test("Hono: executionCtx", async () => {
    const { context, options, work, acknowledge } = createPlatform()
    const router = createTestRouter(hono.createSluice(), () => null)
    const app = new Hono().all("/api/sluice", hono.createRouteHandler({ router, ...options }))
    const response = await app.fetch(uploadRequest(), {}, context)
    expect([response.status, work.length]).toEqual([200, 1])
    acknowledge()
    await Promise.all(work)
  })

  test.each([
    ["env and ctx, as workers are called with", (context: object) => [{}, context]],
    ["a context alone", (context: object) => [context]],
  ])("plain fetch: %s", async (_, toPlatform) => {
    const { context, options, work, acknowledge } = createPlatform()
    const router = createTestRouter(server.createSluice(), () => null)
    const handle = server.createRouteHandler({ router, ...options })
    const response = await handle(uploadRequest(), ...toPlatform(context))
    expect([response.status, work.length]).toEqual([200, 1])
    acknowledge()
    await Promise.all(work)
  })

  test.each(["ctx", "context"])("SvelteKit: platform.%s", async (name) => {
    const { context, options, work, acknowledge } = createPlatform()
    const router = createTestRouter(sveltekit.createSluice(), () => null)
    const { POST } = sveltekit.createRouteHandler({ router, ...options })
    const event = { request: uploadRequest(), platform: { [name]: context } }
    const response = await POST(event as unknown as RequestEvent)
    expect([response.status, work.length]).toEqual([200, 1])
    acknowledge()
    await Promise.all(work)
  })

  test("h3: event.waitUntil", async () => {
    const { context, options, work, acknowledge } = createPlatform()
    const router = createTestRouter(h3.createSluice(), () => null)
    const app = new H3().all("/api/sluice", h3.createRouteHandler({ router, ...options }))
    // As h3's entry for Cloudflare does.
    const platform = { runtime: { name: "cloudflare" }, waitUntil: context.waitUntil.bind(context) }
    const response = await app.fetch(Object.assign(uploadRequest(), platform))
    expect([response.status, work.length]).toEqual([200, 1])
    acknowledge()
    await Promise.all(work)
  })

  test("h3: not on a server that keeps running", async () => {
    const { context, options, work, acknowledge } = createPlatform()
    const router = createTestRouter(h3.createSluice(), () => null)
    const app = new H3().all("/api/sluice", h3.createRouteHandler({ router, ...options }))
    const platform = { runtime: { name: "node" }, waitUntil: context.waitUntil.bind(context) }
    acknowledge()
    const response = await app.fetch(Object.assign(uploadRequest(), platform))
    expect([response.status, work.length]).toEqual([200, 0])
  })

  test("Nitro: event.context.waitUntil", async () => {
    const { context, options, work, acknowledge } = createPlatform()
    const router = createTestRouter(h3.createSluice(), () => null)
    const handle = h3.createRouteHandler({ router, ...options })
    const req = { headers: {} }
    const event = {
      node: { req },
      req,
      web: { request: uploadRequest() },
      context: { waitUntil: context.waitUntil.bind(context) },
    }
    const response = await handle(event as unknown as H3Event)
    expect([response.status, work.length]).toEqual([200, 1])
    acknowledge()
    await Promise.all(work)
  })

  test.each([
    [
      "cfContext",
      (context: object) =>
        Object.defineProperty({ cfContext: context }, "runtime", {
          get: () => {
            throw new Error("Gone.")
          },
        }),
    ],
    ["runtime.ctx", (ctx: object) => ({ runtime: { ctx } })],
    ["netlify.context", (context: object) => ({ netlify: { context } })],
  ])("Astro: locals.%s", async (_name, toLocals) => {
    const { context, options, work, acknowledge } = createPlatform()
    const router = createTestRouter(astro.createSluice(), () => null)
    const { POST } = astro.createRouteHandler({ router, ...options })
    const response = await POST({ request: uploadRequest(), locals: toLocals(context) } as unknown as APIContext)
    expect([response.status, work.length]).toEqual([200, 1])
    acknowledge()
    await Promise.all(work)
  })
})
