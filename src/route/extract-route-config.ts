import type { RouteDescription } from "../protocol/messages.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import { describeRoutes, toRouteMap } from "./app.ts"
import type { FileRouter } from "./builder/file-route.ts"

/**
 * Returns the answer to the handler's GET without a request, for components rendered on the server, which then need
 * not wait for it in the browser.
 *
 * Shape:  one `{ slug, config }` per route in router order, every default filled in; a fresh value, safe for JSON.
 * Fails:  throws an `UploadError`, code INVALID_CONFIG, where the router or one of its routes is invalid.
 * Source: docs/protocol.md §5.
 */
export const extractRouteConfig = <Router extends FileRouter>(
  router: Router,
): ReadonlyArray<RouteDescription<keyof Router & string>> => {
  const routes = toRouteMap(router)
  if (!routes.ok) throw new UploadError({ code: routes.code, message: routes.detail })
  return JSON.parse(describeRoutes(routes.value))
}
