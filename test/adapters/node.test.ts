import { createServer } from "node:http"
import { createRouteHandler, createSluice, toNodeListener } from "../../adapters/node.ts"
import { describeAdapter } from "../conformance/adapter.ts"
import { listen } from "./apps/listen.ts"
import { probe } from "../../src/conformance/adapter/probe.ts"
import { createTestRouter, probeHeader } from "../../src/conformance/adapter/test-router.ts"
import { createUploadPage } from "./apps/upload-page.ts"

describeAdapter(
  "node:http",
  async (configuration) => {
    const router = createTestRouter(createSluice(), ({ req }) => req.headers[probeHeader]?.toString())
    const handle = createRouteHandler({ router, ...configuration, logLevel: "None" })
    const page = await createUploadPage("/nested/api/sluice")
    const other = toNodeListener((request) =>
      request.url.endsWith("/upload.html")
        ? new Response(page, { headers: { "content-type": "text/html" } })
        : probe(request),
    )
    const server = createServer((req, res) => (req.url?.startsWith("/nested/api/sluice") ? handle : other)(req, res))
    const { origin, close } = await listen(server)
    return {
      url: `${origin}/nested/api/sluice`,
      probeUrl: `${origin}/probe`,
      pageUrl: `${origin}/upload.html`,
      runs: "`node:http`",
      close,
    }
  },
  [
    {
      test: "behind a body parser it works or names the fix",
      reason: "node:http has no parsers; what they leave is tested with the bridge",
    },
  ],
)
