import * as Effect from "effect/Effect"
import type { Answer } from "../http/answer.ts"
import { sendWithFetch } from "../http/fetch-transport.ts"
import type { Incoming } from "../http/incoming.ts"
import { createTransport } from "../http/own-transport.ts"
import { createBodyMemory } from "../server-kit/body-memory.ts"
import { createFaultLog } from "../server-kit/fault-log.ts"
import { createLogContext } from "../server-kit/logging.ts"
import { createReminder } from "../server-kit/reminder.ts"
import { Rejected, toRejected } from "../server-kit/rejected.ts"
import { createRequestHandler } from "../server-kit/request-handler.ts"
import { parseMediaType } from "../protocol/files/media-type.ts"
import { readEnvironment } from "../protocol/environment.ts"
import { names } from "../protocol/names.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import type { RouteHandlerConfiguration } from "../schema/route-handler-options.ts"
import { type App, type Call, describeRoutes, type NamedRoute, toRouteMap } from "./app.ts"
import { receiveCallback } from "./callback.ts"
import { ownOrigins } from "./callback-url.ts"
import type { FileRouter } from "./builder/file-route.ts"
import { presign } from "./presign.ts"
import { renew } from "./renew.ts"
import { isOpen, loadCredentials, loadSettings } from "./settings.ts"
import { formatError } from "./user-code.ts"

/** The options of a route handler. All except the router may come from the environment: `logLevel` is `SLUICE_LOG_LEVEL`. */
export interface RouteHandlerOptions<Router extends FileRouter = FileRouter> extends Omit<
  RouteHandlerConfiguration,
  "callbackUrl" | "allowedHosts" | "isDev" | "trustProxy"
> {
  /** The file routes, by the names that pages use. */
  readonly router: Router
  /** Where the ingest calls the app back. Production needs this or {@link allowedHosts}: anybody can choose a request's `Host`. `SLUICE_CALLBACK_URL`. */
  readonly callbackUrl?: string | undefined
  /**
   * The app's own hosts: callbacks go to the one that a request names, if it is among them. `app.example`,
   * `app.example:8443`, `*.app.example` (any name below it), `localhost:*` (any port); a list, or text with commas
   * between. `SLUICE_ALLOWED_HOSTS`.
   */
  readonly allowedHosts?: string | ReadonlyArray<string> | undefined
  /**
   * In development callbacks arrive over a stream that the app opens, so that the ingest need not reach the app.
   * Default: `NODE_ENV` is `development`. `SLUICE_IS_DEV`.
   */
  readonly isDev?: boolean | undefined
  /**
   * Whether `x-forwarded-proto`, `x-forwarded-host` and `x-forwarded-prefix` can be trusted. Default false.
   * `SLUICE_TRUST_PROXY`.
   */
  readonly trustProxy?: boolean | undefined
  /** Keeps the platform alive for work that continues after the answer (the registration); adapters pass their platform's own. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined
  /** Sends the requests to the ingest. By default `globalThis.fetch` does, or `node:http` where that is Node's own. */
  readonly fetch?: typeof globalThis.fetch | undefined
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

/** Which action a POST asks for. */
const chooseAction = ({
  request,
  url,
}: Call): ((call: Call, route: NamedRoute) => Effect.Effect<Answer, Rejected>) | Rejected => {
  const hook = request.headers.get(names.header.hook)
  if (hook === "callback" || hook === "error" || hook === "check")
    return (call, route) => receiveCallback(call, route, hook)
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

/**
 * Whether a page of another origin may have made a browser send this, with its cookies and without asking CORS, which
 * cannot happen with JSON. Clients other than browsers do not send their origin.
 *
 * Source: docs/protocol.md §5.
 */
const isForgeable = (call: Call): boolean => {
  const { headers } = call.request
  if (parseMediaType(headers.get("content-type") ?? "") === "application/json") return false
  const site = headers.get("sec-fetch-site")
  if (site !== null) return site !== "same-origin" && site !== "none"
  const origin = headers.get("origin")
  return origin !== null && !ownOrigins(call).includes(origin)
}

const handle = Effect.fnUntraced(function* (call: Call) {
  const { app, request } = call
  if (request.method === "GET") {
    return { status: 200, headers: { "content-type": "application/json" }, body: app.description }
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
        "A page of another origin sent this. Uploads across origins need the content type application/json, and CORS.",
    })
  }
  const action = chooseAction(call)
  if (action instanceof Rejected) return yield* action
  const route = yield* findRoute(call)
  return yield* Effect.catch(action(call, route), (rejected) => formatError(route, rejected))
})

/** What a request brings in addition to itself. */
export interface RequestContext {
  readonly native: object
  readonly adapter?: string | undefined
  readonly otherHost?: string | undefined
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined
}

/**
 * Hides everything but the code from strangers where an app is misconfigured; the log has the rest. Errors that the
 * app's own code throws keep their messages, which are meant for the caller.
 */
const hideConfiguration = (rejected: Rejected): Rejected =>
  /TOKEN|CONFIG/.test(rejected.code) && !UploadError.is(rejected.cause)
    ? new Rejected({
        code: rejected.code,
        status: rejected.status,
        data: rejected.data,
        detail: "Uploads are not set up here. The server's log says more.",
      })
    : rejected

/** Loaded only where something is wrong. */
const findHints = async (): Promise<ReadonlyArray<string>> => {
  const { findStrayVariables } = await import("./stray-variables.ts")
  return findStrayVariables(readEnvironment())
}

const publishTo = (isOpen: boolean) => (isOpen ? (rejected: Rejected) => rejected : hideConfiguration)

/** Handles a request, or the rejection of an input from which the adapter could not build one. */
type Handler = (request: Incoming | Rejected, context: RequestContext) => Promise<Answer>

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
    publish: publishTo(settings.isOpen),
    logFault: createFaultLog(findHints),
    remind: createReminder(),
    remindOfHost: createReminder(),
    seals: { isOpened: false, askedAt: -Infinity },
    sentToSelf: new Map(),
    send: createTransport(options.fetch).send,
    sendForStream: sendWithFetch(options.fetch ?? ((url, init) => globalThis.fetch(url, init))),
  }
  const logContext = createLogContext(settings.logLevel, settings.logFormat)
  const openShare = createBodyMemory()
  return createRequestHandler(
    (request: Incoming | Rejected, { native, adapter, otherHost, waitUntil }: RequestContext) => {
      if (request instanceof Rejected) return Effect.fail(request)
      // Some frameworks build the URL from whatever the client names as the host.
      if (!URL.canParse(request.url))
        return Effect.fail(new Rejected({ code: "BAD_REQUEST", detail: "The request's address is not a valid URL." }))
      const share = openShare()
      return Effect.ensuring(
        handle({
          app,
          request,
          url: new URL(request.url),
          native,
          adapter,
          otherHost,
          share,
          waitUntil: options.waitUntil ?? waitUntil,
        }),
        Effect.sync(share.giveBack),
      )
    },
    logContext,
    app.publish,
    app.logFault,
  )
})

/**
 * The only handler behind every adapter.
 *
 * The configuration is read once, at the first request, when the environment is complete. Where it is wrong, every
 * request is answered with a problem document that says so. Never rejects.
 */
export const createHandler = (options: RouteHandlerOptions): Handler => {
  let handler: Promise<Handler> | undefined
  return async (request, context) => {
    handler ??= Effect.runPromise(
      Effect.catchCause(start(options), (cause) =>
        Effect.succeed(
          createRequestHandler(
            () => Effect.failCause(cause),
            createLogContext("Warning", "text"),
            publishTo(options.isDev === true || isOpen()),
            createFaultLog(findHints),
          ),
        ),
      ),
    )
    return (await handler)(request, context)
  }
}
