import { createRouteHandler, createSluice } from "../../../../../adapters/astro.ts"
import { createTestRouter, probeHeader } from "../../../../../src/conformance/adapter/test-router.ts"

const router = createTestRouter(createSluice(), ({ context }) =>
  context.routePattern === "/api/sluice" ? context.request.headers.get(probeHeader) : "not an APIContext",
)

export const { GET, POST } = createRouteHandler({ router, logLevel: "None" })
