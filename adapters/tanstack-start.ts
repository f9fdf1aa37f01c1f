import type { Register, RequestServerOptions } from "@tanstack/react-start"
import { defineAdapter, type FileRouter, type RouteHandlerOptions } from "../src/server.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError } from "../src/server.ts"

type GlobalContext = RequestServerOptions<Register, []>["context"]

/** Arguments of user code in addition to the web `request`. */
export interface TanStackStartNative {
  /** Values that middleware has added; the types are those of the global request middleware in `src/start.ts`. */
  readonly context: [GlobalContext] extends [undefined] ? Readonly<Record<string, unknown>> : GlobalContext
  /** As they are in the path, where the route has no `params.parse`. */
  readonly params: Readonly<Record<string, string | undefined>>
}

/** The arguments of a server route's handlers; `context` differs between routes. */
export interface ServerRouteArguments {
  readonly request: Request
  readonly context: unknown
  readonly params: unknown
}

/** The handler of a server route's requests. */
export type TanStackStartHandler = (args: ServerRouteArguments) => Promise<Response>

const adapter = defineAdapter<[args: ServerRouteArguments], TanStackStartNative>({
  name: "TanStack Start",
  request: ({ request }) => request,
  native: ({ context, params }) => ({ context, params }) as TanStackStartNative,
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets `context` and `params` of the route. */
export const createSluice = adapter.createSluice

/**
 * `src/routes/api/sluice.ts`:
 * `export const Route = createFileRoute("/api/sluice")({ server: { handlers: createRouteHandler({ router }) } })`.
 *
 * `beforeLoad` only guards pages: the file route's own middleware or `server.middleware` decides who may upload.
 * Middleware that reads a body has to read `request.clone()`: the signature of a callback covers the raw bytes, which
 * would otherwise be gone.
 */
export const createRouteHandler = (
  options: RouteHandlerOptions<FileRouter<TanStackStartNative>>,
): { readonly GET: TanStackStartHandler; readonly POST: TanStackStartHandler; readonly ANY: TanStackStartHandler } => {
  const handle = adapter.createRouteHandler(options)
  return { GET: handle, POST: handle, ANY: handle }
}
