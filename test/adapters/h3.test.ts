import { bodyLimit, H3, type H3Event, serve, withBase } from "h3"
import { describe, expect, expectTypeOf, test } from "vitest"
import { createRouteHandler, createSluice } from "../../adapters/h3.ts"
import { createSluice as createNodeSluice } from "../../adapters/node.ts"
import { describeAdapter } from "../conformance/adapter.ts"
import { probe } from "../../src/conformance/adapter/probe.ts"
import { createTestRouter, probeHeader } from "../../src/conformance/adapter/test-router.ts"
import { createUploadPage } from "./apps/upload-page.ts"

describeAdapter("h3", async (configuration) => {
  const router = createTestRouter(createSluice(), ({ event }) => event.req.headers.get(probeHeader))
  const handler = createRouteHandler({ router, ...configuration, logLevel: "None" })
  const page = await createUploadPage("/nested/api/sluice")
  const app = new H3()
    .mount("/nested", new H3().all("/api/sluice", handler))
    .all("/based/api/sluice", withBase("/based", handler))
    .all("/probe", (event) => probe(event.req))
    .get("/upload", () => new Response(page, { headers: { "content-type": "text/html" } }))
    .use("/limit/**", bodyLimit(2_000_000))
    .all("/limit/api/sluice", handler)
    .use("/clone/**", async (event) => void (await event.req.clone().text()))
    .all("/clone/api/sluice", handler)
  const server = await serve(app, { port: 0, hostname: "127.0.0.1", silent: true }).ready()
  const origin = server.url!.replace(/\/$/, "")
  return {
    url: `${origin}/nested/api/sluice`,
    probeUrl: `${origin}/probe`,
    pageUrl: `${origin}/upload`,
    runs: "h3 2, `serve`",
    parsers: [
      { name: "bodyLimit()", url: `${origin}/limit/api/sluice`, callback: "works" },
      { name: "event.req.clone()", url: `${origin}/clone/api/sluice`, callback: "works" },
      { name: "no parser, but withBase()", url: `${origin}/based/api/sluice`, callback: "works" },
    ],
    close: () => server.close(true),
  }
})

describe("h3's handler", () => {
  const f = createSluice()({ blob: {} })
  const router = {
    note: f
      .middleware(({ event }) => {
        expectTypeOf(event).toEqualTypeOf<H3Event>()
        return {}
      })
      .onUploadComplete(() => null),
  }

  test("names the fix where a middleware has read the body", async () => {
    const app = new H3()
      .use(async (event) => void (await event.req.text()))
      .all("/api/sluice", createRouteHandler({ router, logLevel: "None" }))
    const response = await app.request("/api/sluice", { method: "POST", body: "{}" })
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { code: "INVALID_CONFIG", detail: expect.stringMatching(/Mount Sluice before/) },
    ])
  })

  test("refuses app.mount(), and says what to write instead", async () => {
    const app = new H3().mount("/api/sluice", createRouteHandler({ router, logLevel: "None" }) as never)
    const response = await app.request("/api/sluice")
    expect([response.status, await response.json()]).toMatchObject([
      500,
      { code: "INVALID_CONFIG", detail: expect.stringContaining('app.all("/api/sluice"') },
    ])
  })

  test("has no use for the routes of another framework", () => {
    const foreign = createTestRouter(createNodeSluice(), ({ req }) => req.url)
    // @ts-expect-error: its user code expects Node's request and response.
    createRouteHandler({ router: foreign })
  })
})
