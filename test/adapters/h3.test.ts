import { H3, type H3Event, bodyLimit, defineHandler, serve, withBase } from "h3"
import { describe, expect, expectTypeOf, test } from "vitest"
import { createRouteHandler, createSluice, type FileRouter } from "../../adapters/h3.ts"
import { createSluice as createNodeSluice } from "../../adapters/node.ts"
import { describeAdapter } from "../conformance/adapter.ts"
import { probe } from "./apps/probe.ts"
import { createTestRouter, probeHeader } from "./apps/test-router.ts"
import { createUploadPage } from "./apps/upload-page.ts"

describeAdapter("h3", async (configuration) => {
  const router = createTestRouter(createSluice(), ({ event }) => event.req.headers.get(probeHeader))
  const handler = createRouteHandler({ router, ...configuration, logLevel: "None" })
  const page = await createUploadPage("/nested/api/sluice")
  const app = new H3()
    .mount("/nested", new H3().all("/api/sluice", handler))
    .all("/based/api/sluice", withBase("/based", defineHandler(handler)))
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
    parsers: [
      { name: "bodyLimit()", url: `${origin}/limit/api/sluice`, callback: "works" },
      { name: "event.req.clone()", url: `${origin}/clone/api/sluice`, callback: "works" },
      { name: "no parser, but withBase()", url: `${origin}/based/api/sluice`, callback: "works" },
    ],
    close: () => server.close(true),
  }
})
