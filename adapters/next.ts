import type { NextRequest } from "next/server.js"
import { defineAdapter, type FileRouter, type RouteHandlerOptions } from "../src/server.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError } from "../src/server.ts"

/** Arguments of user code in addition to the web `request`. */
export interface NextNative {
  readonly req: NextRequest
}

/**
 * The request with the address that the client used: Next.js removes `basePath` and replaces `Host` by its own host
 * name. Its bundlers insert the base path where this variable is read, as they do in its own `edge-app-route`
 * template.
 */
const toRequest = (req: NextRequest): Request => {
  const url = new URL(req.url)
  const host = req.headers.get("host")
  if (host !== null) {
    url.port = ""
    url.host = host
  }
  // The edge runtime leaves the base path in place, and says so.
  if (req.nextUrl.basePath === "") url.pathname = (process.env.__NEXT_BASE_PATH ?? "") + url.pathname
  return url.href === req.url ? req : new Request(url, req)
}

/** What `createRouteHandler` makes. */
export type NextHandler = (req: NextRequest) => Promise<Response>

/**
 * In production nothing runs after the answer, so Next's `after` is not needed; pass it as the option `waitUntil` to
 * answer before the ingest has acknowledged the registration.
 */
const adapter = defineAdapter<[req: NextRequest], NextNative>({
  name: "Next.js",
  request: toRequest,
  native: (req) => ({ req }),
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets `req`, a `NextRequest`. */
export const createSluice = adapter.createSluice

/** `app/api/sluice/route.ts`: `export const { GET, POST } = createRouteHandler({ router })`. */
export const createRouteHandler = (
  options: RouteHandlerOptions<FileRouter<NextNative>>,
): { readonly GET: NextHandler; readonly POST: NextHandler } => {
  const handle = adapter.createRouteHandler(options)
  return { GET: handle, POST: handle }
}
