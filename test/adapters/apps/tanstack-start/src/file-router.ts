import { createRouteHandler, createSluice } from "../../../../../adapters/tanstack-start.ts"
import { createTestRouter } from "../../../../../src/conformance/adapter/test-router.ts"

const router = createTestRouter(createSluice(), ({ context }) => context.probe)

export const handlers = createRouteHandler({ router, logLevel: "None" })
