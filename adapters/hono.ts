import type { IncomingMessage } from "node:http"
import type { Context } from "hono"
import {
  adapterPath,
  defineAdapter,
  extractRouteConfig,
  type FileRouter,
  type RouteHandlerOptions,
  UploadError,
} from "../src/server.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError }

/** Arguments of user code in addition to the web `request`. */
export interface HonoNative {
  readonly c: Context
}

/** `app.mount()` passes a bare request whose path it has cut off: a callback URL made from it would lead nowhere. */
const refuseMount = (c: Context | Request): void => {
  if (!(c instanceof Request)) return
  throw new UploadError({
    code: "INVALID_CONFIG",
    message: `Hono's \`app.mount()\` hides the path that callbacks need. Write \`app.all("${adapterPath}", createRouteHandler({ router }))\`, or \`app.route()\` with an app that has it.`,
  })
}

/** Node's own request where its target is a whole URL, which `@hono/node-server` uses unchanged. */
const absoluteIncoming = (c: Context): IncomingMessage | undefined => {
  const { incoming } = (c.env ?? {}) as { readonly incoming?: IncomingMessage }
  return incoming?.url === undefined || incoming.url.startsWith("/") ? undefined : incoming
}

/** Path steps that `new URL` resolves, but that a router based on the raw `request.url` (Deno's) has not resolved. */
const unsettledPath = /^[^?#]*?(?:\\|[^/]\/(?:\.|%2e){1,2}(?:[/?#]|$))/i

/** The address, with the scheme of the connection: on Node the scheme of an absolute target is only the client's claim. */
const toUrl = (c: Context): string => {
  const { url } = c.req.raw
  if (unsettledPath.test(url)) {
    throw new UploadError({ code: "BAD_REQUEST", message: "The request's path holds `..`, `.` or a backslash." })
  }
  const incoming = absoluteIncoming(c)
  if (incoming === undefined) return url
  const isEncrypted = (incoming.socket as { readonly encrypted?: boolean }).encrypted === true
  return url.replace(/^\w+/, isEncrypted ? "https" : "http")
}

/** The request, even if a middleware has read its body: Hono keeps what was read. */
const toRequest = (c: Context): Request => {
  refuseMount(c)
  const { raw, bodyCache } = c.req
  const url = toUrl(c)
  if (!raw.bodyUsed) {
    if (url === raw.url) return raw
    const { method, headers, signal, body } = raw
    return new Request(url, { method, headers, signal, body, duplex: "half" } as RequestInit)
  }
  if (bodyCache.text === undefined && bodyCache.arrayBuffer === undefined && bodyCache.blob === undefined) {
    throw new UploadError({
      code: "INVALID_CONFIG",
      message:
        "A middleware read this request's body, and its raw bytes are gone. Mount Sluice before it, or let it read with `c.req.text()`, `c.req.json()` or `c.req.arrayBuffer()`.",
    })
  }
  const body = new ReadableStream<Uint8Array>({
    async pull(controller) {
      controller.enqueue(new Uint8Array(await c.req.arrayBuffer()))
      controller.close()
    },
  })
  const { method, headers, signal } = raw
  return new Request(url, { method, headers, signal, body, duplex: "half" } as RequestInit)
}

/** Reading `executionCtx` throws where the platform has none. */
const toWaitUntil = (c: Context): ((work: Promise<unknown>) => void) | undefined => {
  try {
    const context = c.executionCtx
    return (work) => context.waitUntil(work)
  } catch {
    return undefined
  }
}

/** What `createRouteHandler` makes. */
export type HonoHandler = (c: Context) => Promise<Response>

const adapter = defineAdapter<[c: Context], HonoNative>({
  name: "Hono",
  request: toRequest,
  otherHost: (c) => absoluteIncoming(c)?.headers.host,
  native: (c) => ({ c }),
  waitUntil: toWaitUntil,
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets `c`, Hono's `Context`. */
export const createSluice = adapter.createSluice

/** `app.all("/api/sluice", createRouteHandler({ router }))`, on every runtime of Hono. */
export const createRouteHandler: (options: RouteHandlerOptions<FileRouter<HonoNative>>) => HonoHandler =
  adapter.createRouteHandler
