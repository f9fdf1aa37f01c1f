import { createServer } from "node:http"
import express from "express"
import { createRouteHandler, createSluice } from "../../adapters/express.ts"
import { toNodeListener } from "../../adapters/node.ts"
import { describeAdapter } from "../conformance/adapter.ts"
import { listen } from "./apps/listen.ts"
import { probe } from "./apps/probe.ts"
import { createTestRouter, probeHeader } from "./apps/test-router.ts"
import { createUploadPage } from "./apps/upload-page.ts"

describeAdapter("Express", async (configuration) => {
  const page = await createUploadPage("/nested/api/sluice")
  const router = createTestRouter(createSluice(), ({ req }) => req.get(probeHeader))
  const handler = createRouteHandler({ router, ...configuration, logLevel: "None" })
  const api = express.Router().use("/api/sluice", handler)
  const keepRaw: Parameters<typeof express.json>[0] = {
    verify: (req, _res, bytes) => void Object.assign(req, { rawBody: bytes }),
  }
  const app = express()
    .use("/nested", api)
    .use("/probe", toNodeListener(probe))
    .get("/upload.html", (_req, res) => void res.type("html").send(page))
    .use("/json/api/sluice", express.json(), handler)
    .use("/kept/api/sluice", express.json(keepRaw), handler)
    .use("/raw/api/sluice", express.raw({ type: "*/*" }), handler)
    .use("/text/api/sluice", express.text({ type: "*/*" }), handler)
  const { origin, close } = await listen(createServer(app))
  return {
    url: `${origin}/nested/api/sluice`,
    probeUrl: `${origin}/probe`,
    pageUrl: `${origin}/upload.html`,
    runs: "`node:http`, Express 5",
    parsers: [
      { name: "express.json()", url: `${origin}/json/api/sluice`, callback: "refused" },
      { name: "express.json({ verify })", url: `${origin}/kept/api/sluice`, callback: "works" },
      { name: "express.raw()", url: `${origin}/raw/api/sluice`, callback: "works" },
      { name: "express.text()", url: `${origin}/text/api/sluice`, callback: "works" },
    ],
    close,
  }
})
