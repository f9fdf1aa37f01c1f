import { createRouteHandler } from "sluice/sveltekit"
import { router } from "#lib/server/router.ts"

export const { GET, POST } = createRouteHandler({ router })
