import { type Context, Hono } from "hono"
import { createRouteHandler, createSluice } from "../../../../adapters/hono.ts"
import type { AppConfiguration } from "../../../conformance/adapter.ts"
import { probe } from "../../../../src/conformance/adapter/probe.ts"
import { createTestRouter, probeHeader } from "../../../../src/conformance/adapter/test-router.ts"

/** Parsers in front of the handler, by the path they are below. */
const parsers = {
  json: (c: Context) => c.req.json(),
  text: (c: Context) => c.req.text(),
  bytes: (c: Context) => c.req.arrayBuffer(),
}

/** Names of the parsers. */
export const parserNames = Object.keys(parsers)

/**
 * The app that the suite tries on every runtime.
 *
 * @param page          what `createUploadPage` makes
 * @param configuration unless given, that of the environment
 */
export const createApp = (page: string, configuration?: AppConfiguration): Hono => {
  const router = createTestRouter(createSluice(), ({ c }) => c.req.header(probeHeader))
  const handler = createRouteHandler({ router, ...configuration, logLevel: "None" })
  const app = new Hono()
    .route("/nested", new Hono().all("/api/sluice", handler))
    .all("/probe", (c) => probe(c.req.raw))
    .get("/upload.html", (c) => c.html(page))
  for (const [name, read] of Object.entries(parsers)) {
    app.use(`/${name}/*`, async (c, next) => {
      await read(c)
      await next()
    })
    app.all(`/${name}/api/sluice`, handler)
  }
  return app
}
