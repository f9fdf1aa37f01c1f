import * as Effect from "effect/Effect"
import { Rejected } from "../http/rejected.ts"
import { names } from "../protocol/names.ts"
import { respondCallbackResult } from "./callback-result.ts"
import { respondPreflight } from "./cors.ts"
import { respondOffset } from "./offset.ts"
import { respondPut } from "./put.ts"
import { respondRegister } from "./register.ts"
import { respondAppFile, respondFile } from "./serve.ts"
import type { Service } from "./service.ts"

/** What a request is about, and the URL its signature covers. */
interface Target {
  /** The public base URL. */
  readonly origin: string
  /** The public base URL, with path and query as received. */
  readonly url: string
  /** Path segments below the base URL, as received. */
  readonly segments: ReadonlyArray<string>
}

type Method = () => Effect.Effect<Response, Rejected>

const notFound = Effect.fail(
  new Rejected({ code: "NOT_FOUND", detail: "Nothing is here. Check the URL against the ingest's address." }),
)

/** Makes the function that finds a request's target below the configured URL; a proxy may have cut its path off. */
export const createTargetReader = (configured: string | undefined): ((request: Request) => Target) => {
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

/** The methods of a target; undefined when there is no such thing. */
const findMethods = (service: Service, request: Request, target: Target): Record<string, Method> | undefined => {
  const { origin, url, segments } = target
  const [first = "", second = "", third = ""] = segments
  const { path } = names
  if (segments.length === 1) {
    if (first === path.register) return { POST: () => respondRegister(service, request) }
    if (first === path.callbackResult) return { POST: () => respondCallbackResult(service, request) }
    if (!/^[A-Za-z0-9_-]+$/.test(first)) return undefined
    return {
      HEAD: () => respondOffset(service, url),
      PUT: () => respondPut(service, request, url, origin),
      OPTIONS: () => Effect.succeed(respondPreflight(["HEAD", "PUT", "OPTIONS"])),
    }
  }
  const reads = (read: Method): Record<string, Method> => ({
    GET: read,
    HEAD: read,
    OPTIONS: () => Effect.succeed(respondPreflight(["GET", "HEAD", "OPTIONS"])),
  })
  if (segments.length === 2 && first === path.file) return reads(() => respondFile(service, request, second, url))
  if (segments.length === 3 && first === path.appFile) {
    const [appId, id] = [decodeSegment(second), decodeSegment(third)]
    if (appId === undefined || id === undefined) return undefined
    return reads(() => respondAppFile(service, request, appId, id, url))
  }
  return undefined
}

/** One request to its step; 404 and 405 for all others. */
export const createRouter = (service: Service): ((request: Request) => Effect.Effect<Response, Rejected>) => {
  const readTarget = createTargetReader(service.settings.url)
  return (request) => {
    const methods = findMethods(service, request, readTarget(request))
    if (methods === undefined) return notFound
    const respond = Object.hasOwn(methods, request.method) ? methods[request.method] : undefined
    if (respond !== undefined) return respond()
    const allow = Object.keys(methods).join(", ")
    return Effect.fail(
      new Rejected({
        code: "METHOD_NOT_ALLOWED",
        detail: `${request.method} is not possible here. Possible: ${allow}.`,
        headers: { allow },
      }),
    )
  }
}
