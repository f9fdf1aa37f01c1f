import type { APIContext } from "astro"
import { defineAdapter, type FileRouter, type RouteHandlerOptions, UploadError } from "../src/server.ts"

export type { FileRouter } from "../src/server.ts"
export { extractRouteConfig, UploadError } from "../src/server.ts"

/** Arguments of user code in addition to the web `request`. */
export interface AstroNative {
  /** With `locals` and `cookies`. */
  readonly context: APIContext
}

/** What `createRouteHandler` makes. */
export type AstroHandler = (context: APIContext) => Promise<Response>

interface ExecutionContext {
  readonly waitUntil?: (work: Promise<unknown>) => void
}

/** Where adapters put the platform's context: Cloudflare's since Astro 6, Cloudflare's before that, and Netlify's. */
interface PlatformLocals {
  readonly cfContext?: ExecutionContext
  readonly runtime?: { readonly ctx?: ExecutionContext }
  readonly netlify?: { readonly context?: ExecutionContext }
}

const toWaitUntil = ({ locals }: APIContext): ((work: Promise<unknown>) => void) | undefined => {
  const { cfContext, netlify } = locals as PlatformLocals
  // Next to `cfContext` there is a `runtime` whose properties throw.
  const owner = cfContext ?? netlify?.context ?? (locals as PlatformLocals).runtime?.ctx
  return owner?.waitUntil === undefined ? undefined : (work) => owner.waitUntil?.(work)
}

const adapter = defineAdapter<[context: APIContext], AstroNative>({
  name: "Astro",
  request: ({ request }) => request,
  native: (context) => ({ context }),
  waitUntil: toWaitUntil,
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets `context`, an `APIContext` with `locals` and `cookies`. */
export const createSluice = adapter.createSluice

/**
 * `src/pages/api/sluice.ts`: `export const { GET, POST } = createRouteHandler({ router })`, and in the same file
 * `export const prerender = false`: Astro looks for it there. Without it Astro would render the answer at build time,
 * which this refuses.
 *
 * `.env` only reaches `import.meta.env`: `token: getSecret("SLUICE_TOKEN")` of `astro:env/server` finds the token
 * there and in the environment. `security.checkOrigin` only concerns forms: uploads and callbacks, which are JSON,
 * pass.
 */
export const createRouteHandler = (
  options: RouteHandlerOptions<FileRouter<AstroNative>>,
): { readonly GET: AstroHandler; readonly POST: AstroHandler } => {
  const handle = adapter.createRouteHandler(options)
  const answer: AstroHandler = async (context) => {
    if (!context.isPrerendered) return handle(context)
    throw new UploadError({
      code: "INVALID_CONFIG",
      message: `Uploads need a server. Add \`export const prerender = false\` to the file of ${context.url.pathname}.`,
    })
  }
  return { GET: answer, POST: answer }
}
