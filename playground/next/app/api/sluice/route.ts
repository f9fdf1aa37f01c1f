import { createRouteHandler } from "sluice/next"
import { router } from "./router.ts"

export const { GET, POST } = createRouteHandler({ router })
