import { createRouteHandler, createSluice } from "../../../../src/server.ts"
import { probe } from "../../../../src/conformance/adapter/probe.ts"
import { createTestRouter, probeHeader } from "../../../../src/conformance/adapter/test-router.ts"

const router = createTestRouter(createSluice(), ({ req }) => req.headers.get(probeHeader))
const handle = createRouteHandler({ router, logLevel: "None" })

/** An app of no framework at all. Token and ingest come from the environment. */
export const app = {
  fetch: (request: Request, ...platform: Array<unknown>): Response | Promise<Response> => {
    const { pathname } = new URL(request.url)
    if (pathname === "/nested/api/sluice") return handle(request, ...platform)
    if (pathname === "/probe") return probe(request)
    return new Response(uploadPage, { headers: { "content-type": "text/html" } })
  },
}
