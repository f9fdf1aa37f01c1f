import { type Context, Hono } from "hono"
import { createRouteHandler, createSluice } from "../../../../adapters/hono.ts"
import { probe } from "../probe.ts"
import { createTestRouter, probeHeader } from "../test-router.ts"

/** What `createUploadPage` makes, put here when this is bundled. */
declare const uploadPage: string

const router = createTestRouter(createSluice(), ({ c }) => c.req.header(probeHeader))
const handler = createRouteHandler({ router, logLevel: "None" })

const parser = (read: (c: Context) => Promise<unknown>) =>
  new Hono()
    .use(async (c, next) => {
      await read(c)
      await next()
    })
    .all("/api/sluice", handler)

/** Token and ingest come from the environment. */
export const app = new Hono()
  .route("/nested", new Hono().all("/api/sluice", handler))
  .all("/probe", (c) => probe(c.req.raw))
  .get("/upload.html", (c) => c.html(uploadPage))
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
