import { createRouteHandler, createSluice } from "../../../../../../../adapters/solid-start.ts"
import { createTestRouter } from "../../../../../../../src/conformance/adapter/test-router.ts"

const router = createTestRouter(createSluice(), ({ event }) => event.locals.probe)

export const { GET, POST } = createRouteHandler({ router, logLevel: "None" })
