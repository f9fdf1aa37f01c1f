import type { APIEvent } from "@solidjs/start/server"
import { defineAdapter, type FileRouter, type RouteHandlerOptions } from "../src/server.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError } from "../src/server.ts"

/** Arguments of user code in addition to the web `request`. */
export interface SolidStartNative {
  /** With the `locals` that middleware has set. */
  readonly event: APIEvent
}

/** The handler of a route's requests. */
export type SolidStartHandler = (event: APIEvent) => Promise<Response>

const adapter = defineAdapter<[event: APIEvent], SolidStartNative>({
  name: "SolidStart",
  request: (event) => event.request,
  native: (event) => ({ event }),
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets `event`, with the `locals` of middleware. */
export const createSluice = adapter.createSluice

/**
 * `src/routes/api/sluice.ts`: `export const { GET, POST } = createRouteHandler({ router })`.
 *
 * Middleware that reads a body has to read `event.request.clone()`: the signature of a callback covers the raw bytes,
 * which would otherwise be gone.
 */
export const createRouteHandler = (
  options: RouteHandlerOptions<FileRouter<SolidStartNative>>,
): { readonly GET: SolidStartHandler; readonly POST: SolidStartHandler } => {
  const handle = adapter.createRouteHandler(options)
  return { GET: handle, POST: handle }
}
