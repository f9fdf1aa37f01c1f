import type { Server } from "node:http"
import { createAdaptorServer } from "@hono/node-server"
import { Hono } from "hono"
import { expect, test } from "vitest"
import { createRouteHandler, createSluice } from "../../adapters/hono.ts"
import { encodeToken } from "../../src/protocol.ts"
import { describeAdapter } from "../conformance/adapter.ts"
import { createApp, parserNames } from "./apps/hono/app.ts"
import { listen } from "./apps/listen.ts"
import { createTestRouter } from "../../src/conformance/adapter/test-router.ts"
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
  const app = createApp(await createUploadPage("/nested/api/sluice"), configuration)
  const { origin, close } = await listen(createAdaptorServer(app) as Server)
  return {
    url: `${origin}/nested/api/sluice`,
    probeUrl: `${origin}/probe`,
    pageUrl: `${origin}/upload.html`,
    runs: "`@hono/node-server`",
    parsers: parserNames.map((name) => ({ name, url: `${origin}/${name}/api/sluice`, callback: "works" as const })),
    close,
  }
})
