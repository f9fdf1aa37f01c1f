import { HttpResponse } from "msw"
import { encodeToken, type Json, names, type RouteConfigInput } from "../protocol.ts"
import { createRouteHandler, createSluice } from "../server.ts"
import type { MockControls } from "./mock-controls.ts"

/** A route as it is at run time. */
export interface UntypedMockRoute {
  readonly config?: RouteConfigInput
  readonly serverData?: unknown
}

/** What the app sends to the ingest. */
export interface MockMetadata {
  readonly input?: Json | undefined
}

const anyFile: RouteConfigInput = { blob: { maxFileSize: "1GB", maxFileCount: 1000 } }

/** Accepts any input unchanged: the route's own schema runs only on the server. */
const anyInput = {
  "~standard": { version: 1, vendor: "sluice", validate: (value: unknown) => ({ value: value as Json | undefined }) },
} as const

export const mockToken = { apiKey: "sk_mock", appId: "mock", regions: ["mock"] } as const

/**
 * The app: the real route handler over routes whose middleware refuses what the test refuses. So GET, limits, codes
 * and renewal are the real ones.
 */
export const createMockApp = (
  routes: ReadonlyMap<string, UntypedMockRoute>,
  ingestUrl: string,
  ingest: {
    readonly register: (registration: string) => void
    readonly findRegistrations: (query: string) => Response
  },
  controls: MockControls,
): ((request: Request) => Promise<Response>) => {
  const retryAfter = new WeakMap<Request, number>()
  const f = createSluice()
  const toRoute = (slug: string, { config = anyFile }: UntypedMockRoute) =>
    f(config)
      .input(anyInput)
      .middleware(({ request, input }): MockMetadata => {
        const refusal = controls.takeRefusal(slug)
        if (refusal === undefined) return { input }
        if (refusal.retryAfter !== undefined) retryAfter.set(request, refusal.retryAfter)
        throw refusal.error
      })
      .onUploadComplete(() => null)

  const handle = createRouteHandler({
    router: Object.fromEntries([...routes].map(([slug, route]) => [slug, toRoute(slug, route)])),
    token: encodeToken({ ...mockToken, ingestUrl }),
    ingestUrl,
    callbackUrl: ingestUrl,
    allowedHosts: [],
    callbackTolerance: 300,
    isDev: false,
    trustProxy: false,
    logLevel: "None",
    fetch: async (url, init) => {
      const body = init?.body as string
      if (url === `${ingestUrl}/${names.path.registrations}`) return ingest.findRegistrations(body)
      ingest.register(body)
      return Response.json({ ok: true })
    },
  })

  return async (request) => {
    const response = await handle(request)
    // A broken connection has no code in the protocol.
    const isBroken = response.status === 500 && (await response.clone().json()).code === "NETWORK_ERROR"
    if (isBroken) return HttpResponse.error()
    const seconds = retryAfter.get(request)
    if (seconds !== undefined) response.headers.set("retry-after", String(seconds))
    return response
  }
}
