import type { LoaderFunctionArgs } from "react-router"
import { defineAdapter, type FileRouter, type RouteHandlerOptions } from "../src/server.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError } from "../src/server.ts"

/** Arguments of user code in addition to the web `request`: those of loaders and actions. */
export interface ReactRouterNative {
  /** What middleware and `getLoadContext` have set: `context.get(userContext)`. */
  readonly context: LoaderFunctionArgs["context"]
  readonly params: LoaderFunctionArgs["params"]
}

/** What `createRouteHandler` makes. */
export type ReactRouterHandler = (args: LoaderFunctionArgs) => Promise<Response>

const adapter = defineAdapter<[args: LoaderFunctionArgs], ReactRouterNative>({
  name: "React Router",
  request: ({ request }) => request,
  native: ({ context, params }) => ({ context, params }),
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets `context` and `params` of the route. */
export const createSluice = adapter.createSluice

/**
 * `app/routes/api.sluice.ts`, a resource route (no default export, no `ErrorBoundary`) that `app/routes.ts` names:
 *
 * ```ts
 * const { loader, action } = createRouteHandler({ router })
 * export { loader, action }
 * ```
 *
 * It takes two lines: React Router cannot remove `export const { loader, action } = …` from the page's bundle, and
 * refuses it. Middleware that reads a body has to read `request.clone()`: the signature of a callback covers the raw
 * bytes, which would otherwise be gone.
 */
export const createRouteHandler = (
  options: RouteHandlerOptions<FileRouter<ReactRouterNative>>,
): { readonly loader: ReactRouterHandler; readonly action: ReactRouterHandler } => {
  const handle = adapter.createRouteHandler(options)
  return { loader: handle, action: handle }
}
