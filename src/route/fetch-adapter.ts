import { defineAdapter } from "./define-adapter.ts"

/** What user code gets where no framework stands between: the web request, as `req` too. */
export interface FetchNative {
  readonly req: Request
}

/** The adapter of runtimes and frameworks that speak the Fetch API themselves. */
const fetchAdapter = defineAdapter<[request: Request], FetchNative>({
  name: "fetch",
  request: (request) => request,
  native: (req) => ({ req }),
})

export const { createRouteHandler, createSluice } = fetchAdapter
