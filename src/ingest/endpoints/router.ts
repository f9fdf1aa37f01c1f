import * as Effect from "effect/Effect"
import type { Answer } from "../../http/answer.ts"
import type { Incoming } from "../../http/incoming.ts"
import { Rejected } from "../../server-kit/rejected.ts"
import { limits } from "../../protocol/limits.ts"
import { names } from "../../protocol/names.ts"
import { respondCallbackResult } from "./callback-result.ts"
import { respondCancel } from "./cancel.ts"
import { respondPreflight } from "../requests/cors.ts"
import { respondDirect } from "./direct.ts"
import { respondHeldFile, respondVerdict } from "./held-file.ts"
import { respondHealth, respondReady } from "../observe/health.ts"
import type { createRequestObserver } from "../observe/observe-request.ts"
import { respondOffset } from "../upload/offset.ts"
import { respondPut } from "./put.ts"
import { respondRegister } from "./register.ts"
import { respondRegistrations } from "../registrations.ts"
import type { Method, Resource } from "../resource.ts"
import { findOldOperation, findOperation } from "../rest/find-operation.ts"
import { respondBelowPrefix } from "./serve-prefix.ts"
import { respondAppFile, respondFile } from "./serve.ts"
import { stopping } from "../refusals.ts"
import { isForm } from "../upload/upload-body.ts"
import { type Service, traceService } from "../service.ts"

/** What a request is for, and the URL that its signature covers. */
interface Target {
  /** The public base URL. */
  readonly origin: string
  /** The public base URL, with path and query as received. */
  readonly url: string
  /** Path segments below the base URL, as received. */
  readonly segments: ReadonlyArray<string>
}

/** Makes the function that finds a request's target below the configured URL; a proxy may have removed the base path. */
export const createTargetReader = (configured: string | undefined): ((request: Incoming) => Target) => {
  const base = configured === undefined ? "" : new URL(configured).pathname.replace(/\/+$/, "")
  return ({ url }) => {
    const pathStart = url.indexOf("/", url.indexOf("://") + 3)
    const received = pathStart < 0 ? "/" : url.slice(pathStart)
    const path = base !== "" && received.startsWith(`${base}/`) ? received.slice(base.length) : received
    const origin = configured ?? url.slice(0, pathStart)
    const queryStart = path.indexOf("?")
    return { origin, url: origin + path, segments: path.slice(1, queryStart < 0 ? undefined : queryStart).split("/") }
  }
}

const decodeSegment = (segment: string): string | undefined => {
  try {
    return decodeURIComponent(segment)
  } catch {
    return undefined
  }
}

/** A path segment that can be a file's key; anything else is not worth an operator's attention. */
const toKey = (segment: string): string | undefined =>
  segment.length <= limits.fileKey && /^[A-Za-z0-9_-]+$/.test(segment) ? segment : undefined

/** What stands in the URL of an upload whose bytes may go past the ingest. In a value, `&` is escaped. */
const directMark = `&${names.query.transport}=`

/** What is at a target; undefined when there is no such thing. */
const findResource = (service: Service, request: Incoming, target: Target): Resource | undefined => {
  const { origin, url, segments } = target
  const [first = "", second = "", third = ""] = segments
  const { path } = names
  const post = (respond: Method): Resource => ({ route: `/${first}`, methods: { POST: respond } })
  const operate = (respond: Method): Resource => ({
    route: `/${first}`,
    isOperational: true,
    isHiddenFromPages: true,
    methods: { GET: respond, HEAD: respond },
  })
  if (first === path.api) return findOperation(request, segments.slice(1), origin)
  if (first === path.oldApi) return findOldOperation(segments.slice(1))
  if (segments.length === 1) {
    const { metricsEndpoint } = service
    if (first === path.register) return post((traced) => respondRegister(traced, request))
    if (first === path.registrations) return post((traced) => respondRegistrations(traced, request))
    if (first === path.callbackResult) {
      return { ...post((traced) => respondCallbackResult(traced, request)), endsCallback: true }
    }
    if (first === path.health) return operate(() => Effect.succeed(respondHealth()))
    if (first === path.ready) return operate((traced) => respondReady(traced))
    if (first === path.metrics) return metricsEndpoint && operate(() => metricsEndpoint.respond(request))
    if (!/^[A-Za-z0-9_-]+$/.test(first)) return undefined
    const put: Method = (traced) => respondPut(traced, request, url, origin)
    const posted: Method = url.includes(directMark) ? (traced) => respondDirect(traced, request, url, origin) : put
    return {
      route: "/{key}",
      key: toKey(first),
      moves: "in",
      methods: {
        HEAD: (traced) => respondOffset(traced, url, origin),
        PUT: put,
        ...((request.method !== "POST" || !isForm(request)) && { POST: posted }),
        DELETE: (traced) => respondCancel(traced, url),
        OPTIONS: () => Effect.succeed(respondPreflight(["HEAD", "PUT", "POST", "DELETE", "OPTIONS"])),
      },
    }
  }
  const reads = (route: string, key: string | undefined, read: Method): Resource => ({
    route,
    key,
    moves: "out",
    methods: {
      GET: read,
      HEAD: read,
      OPTIONS: () => Effect.succeed(respondPreflight(["GET", "HEAD", "OPTIONS"])),
    },
  })
  if (segments.length === 2 && first === path.file) {
    return reads(`/${path.file}/{key}`, toKey(second), (traced) => respondFile(traced, request, second, url))
  }
  const { heldUrls } = service
  if (segments.length === 3 && heldUrls !== undefined) {
    const below = url.slice(origin.length)
    const held = { route: `/${first}/{key}/{id}`, key: toKey(second), isHiddenFromPages: true } as const
    if (first === path.heldFile) {
      const read: Method = (traced) => respondHeldFile(traced, heldUrls, request, below)
      return { ...held, moves: "out", methods: { GET: read, HEAD: read } }
    }
    if (first === path.verdict) {
      return { ...held, methods: { POST: (traced) => respondVerdict(traced, heldUrls, request, below) } }
    }
  }
  if (segments.length === 3 && first === path.appFile) {
    const [appId, id] = [decodeSegment(second), decodeSegment(third)]
    if (appId === undefined || id === undefined) return undefined
    return reads(`/${path.appFile}/{appId}/{id}`, undefined, (traced) =>
      respondAppFile(traced, request, appId, id, url),
    )
  }
  if (segments.length >= 3 && first === path.prefix) {
    const appId = decodeSegment(second)
    if (appId === undefined) return undefined
    const below = segments.slice(3)
    // What is observed of the request has neither the grant nor the path.
    return reads(`/${path.prefix}/{appId}/{grant}/{path}`, undefined, (traced) =>
      respondBelowPrefix(traced, request, { appId, sealed: third, below, origin }),
    )
  }
  return undefined
}

const notFound = (detail = "There is nothing here. Check the URL against the ingest's address.") =>
  new Rejected({ code: "NOT_FOUND", detail })

/** The answer to a request for a path that does not exist. */
const nowhere: Resource = { route: "none", methods: {} }

/** Finds what a request is for, and answers it under observation; 404 and 405 for everything else. */
export const createRouter = (service: Service, observe: ReturnType<typeof createRequestObserver>) => {
  const readTarget = createTargetReader(service.settings.url)

  const choose = (request: Incoming, { methods, isOperational, endsCallback, detail }: Resource): Method => {
    const isRefused = service.changes.isClosed() || (service.changes.isDraining() && endsCallback !== true)
    if (isRefused && isOperational !== true) return () => Effect.fail(stopping())
    const method = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
    if (method !== undefined) return method
    const allow = Object.keys(methods).join(", ")
    if (allow === "") return () => Effect.fail(notFound(detail))
    return () =>
      Effect.fail(
        new Rejected({
          code: "METHOD_NOT_ALLOWED",
          detail: `${request.method} is not allowed here. Allowed: ${allow}.`,
          headers: { allow },
        }),
      )
  }

  return {
    find: (request: Incoming): Resource => findResource(service, request, readTarget(request)) ?? nowhere,
    respond: (request: Incoming, resource: Resource): Effect.Effect<Answer> => {
      const method = choose(request, resource)
      return observe(request, resource, (span) => method(span === undefined ? service : traceService(service, span)))
    },
  }
}
