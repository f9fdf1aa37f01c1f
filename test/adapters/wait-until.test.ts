import type { RequestEvent } from "@sveltejs/kit"
import { Hono } from "hono"
import { describe, expect, test } from "vitest"
import * as hono from "../../adapters/hono.ts"
import * as sveltekit from "../../adapters/sveltekit.ts"
import { encodeToken, names } from "../../src/protocol.ts"
import { createTestRouter } from "./apps/test-router.ts"

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
})
