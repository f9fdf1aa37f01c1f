import { defineAdapter } from "./define-adapter.ts"

/** What user code gets where no framework stands between: the web request, as `req` too. */
export interface FetchNative {
  readonly req: Request
}

type WaitUntil = (work: Promise<unknown>) => void

/** Workers are called with `env` and a context, others with a context alone: whichever keeps the platform waiting. */
const findWaitUntil = (...[, ...platform]: [request: Request, ...platform: Array<unknown>]): WaitUntil | undefined => {
  const context = platform.find(
    (part): part is { waitUntil: WaitUntil } =>
      typeof (part as { waitUntil?: unknown } | null | undefined)?.waitUntil === "function",
  )
  return context && ((work) => context.waitUntil(work))
}

/** The adapter of runtimes and frameworks that speak the Fetch API themselves. */
const fetchAdapter = defineAdapter<[request: Request, ...platform: Array<unknown>], FetchNative>({
  name: "fetch",
  request: (request) => request,
  native: (req) => ({ req }),
  waitUntil: findWaitUntil,
})

/** Makes the builder of file routes, `f({ image: {} })`; user code gets `req`, the web request, which is `request` too. */
export const createSluice = fetchAdapter.createSluice

/**
 * Makes the handler, `(request: Request) => Promise<Response>`, which never rejects: `Deno.serve(handler)`,
 * `Bun.serve({ fetch: handler })`, and of workers `export default { fetch: handler }`. A worker that calls it itself
 * hands on `env` and `ctx` too: without them the platform ends, with the answer, what goes on after it.
 */
export const createRouteHandler = fetchAdapter.createRouteHandler
