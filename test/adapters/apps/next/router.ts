import { createRouteHandler, createSluice } from "../../../../adapters/next.ts"
import { createTestRouter, probeHeader } from "../../../../src/conformance/adapter/test-router.ts"

const router = createTestRouter(createSluice(), ({ req }) =>
  req.nextUrl.pathname.endsWith("/api/sluice") ? req.headers.get(probeHeader) : "not a NextRequest",
)

export const { GET, POST } = createRouteHandler({ router, logLevel: "None" })
