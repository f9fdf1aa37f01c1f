import { createServer } from "node:http"
import express5 from "express"
// @ts-expect-error Its types are those of Express 5, as far as they are used here.
import untyped from "express4"
import { createRouteHandler, createSluice } from "../../adapters/express.ts"
import { toNodeListener } from "../../adapters/node.ts"
import { type AppConfiguration, describeAdapter, type RunningApp } from "../conformance/adapter.ts"
import { listen } from "./apps/listen.ts"
import { probe } from "../../src/conformance/adapter/probe.ts"
import { createTestRouter, probeHeader } from "../../src/conformance/adapter/test-router.ts"
import { createUploadPage } from "./apps/upload-page.ts"

const express4 = untyped as typeof express5

const startWith =
  (express: typeof express5, runs: string) =>
  async (configuration: AppConfiguration): Promise<RunningApp> => {
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
      .use("/form/api/sluice", express.urlencoded({ extended: true }), handler)
    const { origin, close } = await listen(createServer(app))
    return {
      url: `${origin}/nested/api/sluice`,
      probeUrl: `${origin}/probe`,
      pageUrl: `${origin}/upload.html`,
      runs,
      parsers: [
        { name: "express.json()", url: `${origin}/json/api/sluice`, callback: "refused" },
        { name: "express.json({ verify })", url: `${origin}/kept/api/sluice`, callback: "works" },
        { name: "express.raw()", url: `${origin}/raw/api/sluice`, callback: "works" },
        { name: "express.text()", url: `${origin}/text/api/sluice`, callback: "works" },
        { name: "express.urlencoded()", url: `${origin}/form/api/sluice`, callback: "works" },
      ],
      close,
    }
  }

describeAdapter("Express", startWith(express5, "`node:http`, Express 5"))
describeAdapter("Express 4", startWith(express4, "`node:http`, Express 4"))
