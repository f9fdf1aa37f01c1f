import { createRouteHandler, createSluice } from "../../../../../adapters/h3.ts"
import { createTestRouter, probeHeader } from "../../test-router.ts"

const router = createTestRouter(createSluice(), ({ event }) => event.headers.get(probeHeader))

export const handler = createRouteHandler({ router, logLevel: "None" })
