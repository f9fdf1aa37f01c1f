import { type Answer, toResponse } from "../http/answer.ts"
import type { Incoming } from "../http/incoming.ts"
import type { Json } from "../protocol/json.ts"
import { Rejected } from "../server-kit/rejected.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import { createRouteBuilder } from "./builder/create-route-builder.ts"
import type { FileRouter, SluiceOptions } from "./builder/file-route.ts"
import type { RouteBuilder } from "./builder/route-steps.ts"
import { createHandler, type RequestContext, type RouteHandlerOptions } from "./handler.ts"

/** How a framework's requests become Fetch API requests, and how Fetch API answers become the framework's. */
export interface Adapter<Args extends ReadonlyArray<unknown>, Native extends object, Out = Response> {
  /** The framework's name, for messages. */
  readonly name: string
  /**
   * Makes the request, with its absolute URL and its body unread: a `Request`, or what costs less (`toIncoming` of
   * `sluice/node`). May throw an `UploadError`.
   */
  readonly request: (...args: Args) => Incoming
  /** Arguments of user code in addition to `request`: the framework's own request object, under its usual name. */
  readonly native: (...args: Args) => Native
  /** Hands the answer to the framework; without it the framework gets the `Response`. */
  readonly respond?: (response: Response, ...args: Args) => Out | Promise<Out>
  /** The same before a `Response` was made of it, which costs less. It goes before `respond`. */
  readonly answer?: (answer: Answer, ...args: Args) => Out | Promise<Out>
  /**
   * The `Host` header where the request target names a host itself (RFC 9112 §3.2.2). The host of the target is that
   * of `request`; the other one must be an allowed host as well, because a proxy in front may have used it.
   */
  readonly otherHost?: (...args: Args) => string | undefined
  /** The platform's function for work that continues after the answer, where it has one. */
  readonly waitUntil?: (...args: Args) => ((work: Promise<unknown>) => void) | undefined
}

/** The exports of an adapter, with the same names for every framework. */
export interface DefinedAdapter<Args extends ReadonlyArray<unknown>, Native extends object, Out> {
  /** Makes the builder of file routes. */
  readonly createSluice: <ErrorData extends Json | undefined = undefined>(
    options?: SluiceOptions<ErrorData>,
  ) => RouteBuilder<Native, ErrorData>
  /** Makes the handler for all requests to the file routes. */
  readonly createRouteHandler: (options: RouteHandlerOptions<FileRouter<Native>>) => (...args: Args) => Promise<Out>
}

/**
 * Makes a framework's adapter. The built-in ones use only this function.
 *
 * The returned handler rejects only where `respond` or `answer` does.
 */
export const defineAdapter = <Args extends ReadonlyArray<unknown>, Native extends object, Out = Response>(
  adapter: Adapter<Args, Native, Out>,
): DefinedAdapter<Args, Native, Out> => {
  const toCall = (args: Args): { request: Incoming | Rejected; context: RequestContext } => {
    try {
      const request = adapter.request(...args)
      return {
        request,
        context: {
          native: adapter.native(...args),
          adapter: adapter.name,
          otherHost: adapter.otherHost?.(...args),
          waitUntil: adapter.waitUntil?.(...args),
        },
      }
    } catch (thrown) {
      const request = UploadError.is(thrown)
        ? new Rejected({
            code: thrown.code,
            detail: thrown.message,
            status: thrown.status,
            headers: thrown.code === "RATE_LIMITED" ? { "retry-after": "1" } : undefined,
          })
        : new Rejected({
            code: "BAD_REQUEST",
            detail: `${adapter.name} received a request that is not valid HTTP.`,
          })
      return { request, context: { native: {} } }
    }
  }
  return {
    createSluice: (options) => createRouteBuilder(options),
    createRouteHandler: (options) => {
      const handle = createHandler(options)
      return async (...args) => {
        const { request, context } = toCall(args)
        const answer = await handle(request, context)
        if (adapter.answer !== undefined) return adapter.answer(answer, ...args)
        const response = toResponse(answer)
        return adapter.respond === undefined ? (response as Out) : adapter.respond(response, ...args)
      }
    },
  }
}
