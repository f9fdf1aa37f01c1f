import type { Context } from "hono"
import { adapterPath, defineAdapter, extractRouteConfig, UploadError } from "../src/server.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError }

/** What user code gets beside the web `request`. */
export interface HonoNative {
  readonly c: Context
}

/** `app.mount()` gives a bare request whose path it has cut off: a callback URL made of it would lead nowhere. */
const refuseMount = (c: Context | Request): void => {
  if (!(c instanceof Request)) return
  throw new UploadError({
    code: "INVALID_CONFIG",
    message: `Hono's \`app.mount()\` hides the path that callbacks need. Write \`app.all("${adapterPath}", createRouteHandler({ router }))\`, or \`app.route()\` with an app that has it.`,
  })
}

/** The request, also where a middleware has read its body: Hono keeps what was read. */
const toRequest = (c: Context): Request => {
  refuseMount(c)
  const { raw, bodyCache } = c.req
  if (!raw.bodyUsed) return raw
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
  return new Request(raw.url, { method, headers, signal, body, duplex: "half" } as RequestInit)
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

/** `app.all("/api/sluice", createRouteHandler({ router }))`, on every runtime of Hono. */
export const { createSluice, createRouteHandler } = defineAdapter<[c: Context], HonoNative>({
  name: "Hono",
  request: toRequest,
  native: (c) => ({ c }),
  waitUntil: toWaitUntil,
})
