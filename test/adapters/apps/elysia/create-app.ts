import { Elysia } from "elysia"
import { createRouteHandler, createSluice } from "../../../../adapters/elysia.ts"
import type { RouteHandlerOptions } from "../../../../src/server.ts"
import { probe } from "../../../../src/conformance/adapter/probe.ts"
import { createTestRouter, probeHeader } from "../../../../src/conformance/adapter/test-router.ts"
import { createUploadPage } from "../upload-page.ts"

/** The app of the adapter suite, for any runtime. */
export const createApp = async (configuration: Omit<RouteHandlerOptions, "router"> = {}) => {
  const router = createTestRouter(createSluice(), ({ context }) => context.headers[probeHeader])
  const plugin = createRouteHandler({ router, ...configuration, logLevel: "None" })
  const page = await createUploadPage("/nested/api/sluice")
  const uncompiled = new Elysia({ aot: false, prefix: "/uncompiled" }).use(plugin)
  return new Elysia()
    .group("/nested", (app) => app.use(plugin))
    .get("/probe", ({ request }) => probe(request))
    .get("/upload", () => new Response(page, { headers: { "content-type": "text/html" } }))
    .group("/hook", (app) => app.onBeforeHandle(({ body }) => void body).use(plugin))
    .group("/parser", (app) => app.onParse(() => undefined).use(plugin))
    .group("/clone", (app) => app.onParse(({ request }) => request.clone().json()).use(plugin))
    .all("/uncompiled/api/sluice", ({ request }) => uncompiled.fetch(request), { parse: "none" })
}
