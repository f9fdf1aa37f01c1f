import { createServer } from "node:http"
import { createRouteHandler, createSluice, toNodeListener } from "../../adapters/node.ts"
import { describeAdapter } from "../conformance/adapter.ts"
import { listen } from "./apps/listen.ts"
import { probe } from "./apps/probe.ts"
import { createTestRouter, probeHeader } from "./apps/test-router.ts"

describeAdapter(
  "node:http",
  async (configuration) => {
    const router = createTestRouter(createSluice(), ({ req }) => req.headers[probeHeader]?.toString())
    const handle = createRouteHandler({ router, ...configuration, logLevel: "None" })
    const other = toNodeListener(probe)
    const server = createServer((req, res) => (req.url?.startsWith("/nested/api/sluice") ? handle : other)(req, res))
    const { origin, close } = await listen(server)
    return { url: `${origin}/nested/api/sluice`, probeUrl: `${origin}/probe`, close }
  },
  [
    {
      test: "behind a body parser it works or names the fix",
      reason: "node:http has no parsers; what they leave is tested with the bridge",
    },
  ],
)
