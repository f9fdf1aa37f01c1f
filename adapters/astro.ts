import type { APIContext } from "astro"
import { defineAdapter, type FileRouter, type RouteHandlerOptions } from "../src/server.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError } from "../src/server.ts"

/** What user code gets beside the web `request`. */
export interface AstroNative {
  /** With `locals` and `cookies`. */
  readonly context: APIContext
}

type AstroHandler = (context: APIContext) => Promise<Response>

const adapter = defineAdapter<[context: APIContext], AstroNative>({
  name: "Astro",
  request: (context) => context.request,
  native: (context) => ({ context }),
})

export const { createSluice } = adapter

export const createRouteHandler = (
  options: RouteHandlerOptions<FileRouter<AstroNative>>,
): { readonly GET: AstroHandler; readonly POST: AstroHandler } => {
  const handle = adapter.createRouteHandler(options)
  return { GET: handle, POST: handle }
}
