import { createRouteHandler, createSluice } from "../../../../../../../../adapters/sveltekit.ts"
import { createTestRouter, probeHeader } from "../../../../../../../../src/conformance/adapter/test-router.ts"

const router = createTestRouter(createSluice(), ({ event }) =>
  event.route.id === "/api/sluice" ? event.request.headers.get(probeHeader) : "not a RequestEvent",
)

export const { GET, POST } = createRouteHandler({ router, logLevel: "None" })
