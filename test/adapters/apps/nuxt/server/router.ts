import { createRouteHandler, createSluice } from "../../../../../adapters/h3.ts"
import { createTestRouter, probeHeader } from "../../../../../src/conformance/adapter/test-router.ts"

const router = createTestRouter(createSluice(), ({ event }) =>
  "nitro" in event.context ? event.headers.get(probeHeader) : "not an event of Nitro",
)

export const handler = createRouteHandler({ router, logLevel: "None" })
