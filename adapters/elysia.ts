import type { Context, Elysia } from "elysia"
import { adapterPath, defineAdapter, type FileRouter, type RouteHandlerOptions, UploadError } from "../src/server.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError } from "../src/server.ts"

/** Arguments of user code in addition to the web `request`. */
export interface ElysiaNative {
  /** With what hooks before the plugin have derived, decorated or resolved. */
  readonly context: Context
}

const toRequest = ({ request }: Context): Request => {
  if (!request.bodyUsed) return request
  throw new UploadError({
    code: "INVALID_CONFIG",
    message:
      "A hook (`onParse`, `onRequest`) read this request's body, and its raw bytes are gone. Mount Sluice before it, or let it read `request.clone()`.",
  })
}

/** What `createRouteHandler` makes: a plugin. */
export type ElysiaHandler = (app: Elysia) => Elysia

const adapter = defineAdapter<[context: Context], ElysiaNative>({
  name: "Elysia",
  request: toRequest,
  native: (context) => ({ context }),
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets `context`, with what hooks before it have derived. */
export const createSluice = adapter.createSluice

/** Options of a plugin, in addition to those of every route handler. */
export interface ElysiaPluginOptions extends RouteHandlerOptions<FileRouter<ElysiaNative>> {
  /** The path below the prefix of the app or group. Default `/api/sluice`. */
  readonly path?: string
}

/**
 * A plugin: `new Elysia().use(createRouteHandler({ router }))`, on every runtime of Elysia.
 *
 * Elysia parses bodies by their content type, and the signature of a callback covers the bytes that were sent: for this
 * route `context.body` is the unread stream. A parser that the app adds with `onParse` has to leave it alone.
 */
export const createRouteHandler = ({ path = adapterPath, ...options }: ElysiaPluginOptions): ElysiaHandler => {
  const handle = adapter.createRouteHandler(options)
  return (app) => {
    app.all(path, (context) => handle(context), {
      // "none" is unknown where `aot` is false, and a 400 where the app has an `onParse`.
      parse: ({ request }) => request.body ?? "",
    })
    return app
  }
}
