import type { Server } from "node:http"
import { createAdaptorServer } from "@hono/node-server"
import { type Context, Hono } from "hono"
import { expect, test } from "vitest"
import { createRouteHandler, createSluice } from "../../adapters/hono.ts"
import { encodeToken } from "../../src/protocol.ts"
import { describeAdapter } from "../conformance/adapter.ts"
import { listen } from "./apps/listen.ts"
import { probe } from "./apps/probe.ts"
import { createTestRouter, probeHeader } from "./apps/test-router.ts"
import { createUploadPage } from "./apps/upload-page.ts"

test("app.mount() is refused with what to write instead", async () => {
  const token = encodeToken({ apiKey: "sk_x", appId: "app", regions: ["local"] })
  const router = createTestRouter(createSluice(), () => null)
  const handler = createRouteHandler({ router, token, ingestUrl: "http://localhost:4790", logLevel: "None" })
  const app = new Hono().mount("/api/sluice", handler as never)
  const response = await app.request("/api/sluice?actionType=upload&slug=note", { method: "POST", body: "{}" })
  expect([response.status, await response.json()]).toMatchObject([
    500,
    { code: "INVALID_CONFIG", detail: expect.stringContaining('app.all("/api/sluice"') },
  ])
})

describeAdapter("Hono", async (configuration) => {
  const router = createTestRouter(createSluice(), ({ c }) => c.req.header(probeHeader))
  const handler = createRouteHandler({ router, ...configuration, logLevel: "None" })
  const page = await createUploadPage("/nested/api/sluice")
  const parser = (read: (c: Context) => Promise<unknown>) =>
    new Hono()
      .use(async (c, next) => {
        await read(c)
        await next()
      })
      .all("/api/sluice", handler)
  const app = new Hono()
    .route("/nested", new Hono().all("/api/sluice", handler))
    .all("/probe", (c) => probe(c.req.raw))
    .get("/upload.html", (c) => c.html(page))
    .route(
      "/json",
      parser((c) => c.req.json()),
    )
    .route(
      "/text",
      parser((c) => c.req.text()),
    )
    .route(
      "/bytes",
      parser((c) => c.req.arrayBuffer()),
    )
  const { origin, close } = await listen(createAdaptorServer(app) as Server)
  return {
    url: `${origin}/nested/api/sluice`,
    probeUrl: `${origin}/probe`,
    pageUrl: `${origin}/upload.html`,
    runs: "`@hono/node-server`",
    parsers: ["json", "text", "bytes"].map((name) => ({
      name,
      url: `${origin}/${name}/api/sluice`,
      callback: "works" as const,
    })),
    close,
  }
})
