import * as Effect from "effect/Effect"
import { createFetchHandler } from "../http/fetch-handler.ts"
import { createLogContext, logWarning } from "../http/logging.ts"
import { Rejected, toRejected } from "../http/rejected.ts"
import { envName, names } from "../protocol/names.ts"
import type { RouteHandlerConfiguration } from "../schema/route-handler-options.ts"
import { type App, type Call, describeRoutes, type NamedRoute, toRouteMap } from "./app.ts"
import { receiveCallback } from "./callback.ts"
import type { FileRouter } from "./file-route.ts"
import { presign } from "./presign.ts"
import { renew } from "./renew.ts"
import { loadCredentials, loadSettings } from "./settings.ts"
import { formatError } from "./user-code.ts"

/** How a route handler is set up. All but the router may come from the environment: `logLevel` is `SLUICE_LOG_LEVEL`. */
export interface RouteHandlerOptions<Router extends FileRouter = FileRouter> extends Omit<
  RouteHandlerConfiguration,
  "isDev" | "trustProxy"
> {
  readonly router: Router
  /** In development callbacks come over a stream that the app opens, so that the ingest need not reach it. Default: `NODE_ENV` is `development`. */
  readonly isDev?: boolean
  /** Whether `x-forwarded-proto`, `x-forwarded-host` and `x-forwarded-prefix` may be believed. Default false. */
  readonly trustProxy?: boolean
  /** Takes work that goes on after the answer (the registration); adapters give their platform's own. */
  readonly waitUntil?: (work: Promise<unknown>) => void
  /** Default `globalThis.fetch`. */
  readonly fetch?: typeof globalThis.fetch
}

const findRoute = ({ app, url }: Call): Effect.Effect<NamedRoute, Rejected> => {
  const slug = url.searchParams.get(names.action.slug)
  const route = slug === null ? undefined : app.routes.get(slug)
  if (route !== undefined) return Effect.succeed(route)
  const known = [...app.routes.keys()].join(", ")
  return Effect.fail(
    slug === null
      ? new Rejected({
          code: "BAD_REQUEST",
          detail: `The query has no ${names.action.slug}. The routes are: ${known}.`,
        })
      : new Rejected({
          code: "ROUTE_NOT_FOUND",
          detail: `There is no file route ${JSON.stringify(slug)}. The routes are: ${known}.`,
        }),
  )
}

/** Which sequence a POST asks for. */
const chooseAction = ({
  request,
  url,
}: Call): ((call: Call, route: NamedRoute) => Effect.Effect<Response, Rejected>) | Rejected => {
  const hook = request.headers.get(names.header.hook)
  if (hook === "callback" || hook === "error") return (call, route) => receiveCallback(call, route, hook)
  const action = url.searchParams.get(names.action.type)
  if (hook === null && action === names.action.upload) return presign
  if (hook === null && action === names.action.renew) return renew
  return new Rejected({
    code: "BAD_REQUEST",
    detail:
      hook === null
        ? `${names.action.type} must be ${names.action.upload} or ${names.action.renew}, not ${JSON.stringify(action)}.`
        : `The header ${names.header.hook} must be callback or error, not ${JSON.stringify(hook)}.`,
  })
}

/** A page of any site can make a browser send its cookies along with a form; with JSON only where CORS lets it. */
const isForgeable = ({ request: { headers } }: Call): boolean =>
  headers.get("sec-fetch-site") === "cross-site" && !/^application\/json\b/i.test(headers.get("content-type") ?? "")

const handle = Effect.fnUntraced(function* (call: Call) {
  const { app, request } = call
  if (request.method === "GET") {
    return new Response(app.description, { headers: { "content-type": "application/json" } })
  }
  if (request.method !== "POST") {
    return yield* new Rejected({
      code: "METHOD_NOT_ALLOWED",
      detail: `${request.method} is not for this address; GET describes the routes, POST uploads.`,
      headers: { allow: "GET, POST" },
    })
  }
  if (isForgeable(call)) {
    return yield* new Rejected({
      code: "FORBIDDEN",
      detail:
        "A page of another site sent this. Uploads across sites need the content type application/json, and CORS.",
    })
  }
  const action = chooseAction(call)
  if (action instanceof Rejected) return yield* action
  const route = yield* findRoute(call)
  return yield* Effect.catch(action(call, route), (rejected) => formatError(route.definition, rejected))
})

/** What a request brings beside itself. */
export interface RequestContext {
  readonly native: object
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined
}

/** Answers a request, or the refusal of something that is none. */
type Handler = (request: Request | Rejected, context: RequestContext) => Promise<Response>

const warnOfSpoofing = logWarning(
  `No callback URL is configured: it is taken from each request, whose Host header anybody can choose. Set ${envName("callbackUrl")}.`,
)

/** Reads the configuration and builds what all requests share. */
const start = Effect.fnUntraced(function* (options: RouteHandlerOptions) {
  const { settings, configuration } = yield* loadSettings(options)
  const routes = toRouteMap(options.router)
  if (!routes.ok) return yield* toRejected(routes)
  const app: App = {
    settings,
    credentials: yield* Effect.exit(loadCredentials(configuration)),
    routes: routes.value,
    description: describeRoutes(routes.value),
    fetch: options.fetch ?? ((input, init) => globalThis.fetch(input, init)),
  }
  const logContext = createLogContext(settings.logLevel, settings.logFormat)
  if (settings.callbackUrl === undefined && settings.isProduction) {
    yield* Effect.provideContext(warnOfSpoofing, logContext)
  }
  return createFetchHandler(
    (request: Request | Rejected, { native, waitUntil }: RequestContext) =>
      request instanceof Rejected
        ? Effect.fail(request)
        : handle({ app, request, url: new URL(request.url), native, waitUntil: options.waitUntil ?? waitUntil }),
    logContext,
  )
})

/**
 * The one handler behind every adapter.
 *
 * The configuration is read at the first request, when the environment is complete, and once; where it is wrong, every
 * request is answered with a problem document that says so.
 */
export const createHandler = (options: RouteHandlerOptions): Handler => {
  let handler: Promise<Handler> | undefined
  return async (request, context) => {
    handler ??= Effect.runPromise(
      Effect.catch(start(options), (rejected) =>
        Effect.succeed(createFetchHandler(() => Effect.fail(rejected), createLogContext("Warning", "text"))),
      ),
    )
    return (await handler)(request, context)
  }
}
