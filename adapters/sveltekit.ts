import type { RequestEvent } from "@sveltejs/kit"
import { defineAdapter, type FileRouter, type RouteHandlerOptions } from "../src/server.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError } from "../src/server.ts"

/** Arguments of user code in addition to the web `request`. */
export interface SvelteKitNative {
  readonly event: RequestEvent
}

/** What `createRouteHandler` makes. */
export type SvelteKitHandler = (event: RequestEvent) => Promise<Response>

interface ExecutionContext {
  readonly waitUntil?: (work: Promise<unknown>) => void
}

/** Cloudflare's and Vercel's adapters offer it, under a name that has changed. */
const toWaitUntil = ({ platform }: RequestEvent): ((work: Promise<unknown>) => void) | undefined => {
  const { ctx, context } = (platform ?? {}) as { ctx?: ExecutionContext; context?: ExecutionContext }
  const owner = ctx ?? context
  return owner?.waitUntil === undefined ? undefined : (work) => owner.waitUntil?.(work)
}

const adapter = defineAdapter<[event: RequestEvent], SvelteKitNative>({
  name: "SvelteKit",
  request: (event) => event.request,
  native: (event) => ({ event }),
  waitUntil: toWaitUntil,
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets `event`, a `RequestEvent`. */
export const createSluice = adapter.createSluice

/**
 * `src/routes/api/sluice/+server.ts`: `export const { GET, POST } = createRouteHandler({ router })`.
 *
 * adapter-node takes every request for https unless `paths.origin` or `PROTOCOL_HEADER` says otherwise, and itself
 * refuses bodies over `BODY_SIZE_LIMIT` (512 kB; requests with hundreds of files).
 */
export const createRouteHandler = (
  options: RouteHandlerOptions<FileRouter<SvelteKitNative>>,
): { readonly GET: SvelteKitHandler; readonly POST: SvelteKitHandler } => {
  const handle = adapter.createRouteHandler(options)
  return { GET: handle, POST: handle }
}
