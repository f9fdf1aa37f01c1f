import { createRouteHandler, createSluice } from "../../../../../../adapters/react-router.ts"
import { createTestRouter } from "../../../../../../src/conformance/adapter/test-router.ts"
import { probeContext } from "../root.ts"

const router = createTestRouter(createSluice(), ({ context }) => context.get(probeContext))

const { loader, action } = createRouteHandler({ router, logLevel: "None" })
export { loader, action }
