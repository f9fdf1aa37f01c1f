import { defineAdapter } from "./define-adapter.ts"

/** Arguments of user code without a framework: the web request, as `req` too. */
export interface FetchNative {
  readonly req: Request
}

type WaitUntil = (work: Promise<unknown>) => void

/** Workers are called with `env` and a context, others with only a context: this finds the one that keeps the platform waiting. */
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

/** Makes the builder of file routes, `f({ image: {} })`; user code gets `req`, the web request, which is the same as `request`. */
export const createSluice = fetchAdapter.createSluice

/**
 * Makes the handler, `(request: Request) => Promise<Response>`, which never rejects: `Deno.serve(handler)`,
 * `Bun.serve({ fetch: handler })`, and in workers `export default { fetch: handler }`. A worker that calls it itself
 * has to pass `env` and `ctx` too: without them the platform aborts work that continues after the answer.
 */
export const createRouteHandler = fetchAdapter.createRouteHandler
