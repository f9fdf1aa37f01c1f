import { createSluice, extractRouteConfig } from "../../src/server.ts"
import type { RouteConfig, RouteConfigInput } from "../../src/protocol.ts"

/** A route's configuration as a page gets it. */
export const parseConfig = (config: RouteConfigInput): RouteConfig => {
  const route = createSluice()(config).onUploadComplete(() => null)
  return extractRouteConfig({ route })[0]!.config
}
