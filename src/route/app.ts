import type * as Effect from "effect/Effect"
import type { Incoming } from "../http/incoming.ts"
import type { FetchAnswer } from "../http/fetch-transport.ts"
import type { Send } from "../http/transport.ts"
import type { BodyShare } from "../server-kit/body-memory.ts"
import type { FaultLog } from "../server-kit/fault-log.ts"
import type { Rejected } from "../server-kit/rejected.ts"
import type { Credentials } from "../protocol/signing/credentials.ts"
import type { RouteDescription } from "../protocol/messages.ts"
import { accept, type Outcome, refuse } from "../protocol/errors/outcome.ts"
import type { FileRouter, RouteDefinition } from "./builder/file-route.ts"
import type { Settings } from "./settings.ts"

/** A route of the router with the name that clients use. */
export interface NamedRoute {
  readonly slug: string
  readonly definition: RouteDefinition<object>
}

/** Everything about the app that is needed for longer than one request; made once. */
export interface App {
  readonly settings: Settings
  /** Fails where reading the token does; only operations that need it run it. */
  readonly credentials: Effect.Effect<Credentials, Rejected>
  readonly routes: ReadonlyMap<string, NamedRoute>
  /** The answer to GET. */
  readonly description: string
  /** The part of a rejection that callers may see. */
  readonly publish: (rejected: Rejected) => Rejected
  readonly logFault: FaultLog
  /** Whether to log a warning of the ingest now: returns how often it was suppressed since it was last logged, or undefined. */
  readonly remind: (text: string) => number | undefined
  /** The same for hosts that requests name: there is no limit to the hosts that a client can make up. */
  readonly remindOfHost: (host: string) => number | undefined
  /** Whether the ingest opens seals, as it said when an action was last registered by a request. */
  readonly seals: {
    isOpened: boolean
    /** By the clock of `performance`, ms. */
    askedAt: number
  }
  /** Callbacks that this process is sending itself, in development, by signature, and whether they have arrived. */
  readonly sentToSelf: Map<string, boolean>
  /** Sends requests to the ingest. */
  readonly send: Send
  /** The same for answers that are streams: each keeps its connection. */
  readonly sendForStream: Send<FetchAnswer>
}

/** One request while it is handled. */
export interface Call {
  readonly app: App
  readonly request: Incoming
  readonly url: URL
  /** What the framework's adapter adds to the arguments of user code. */
  readonly native: object
  /** The framework's name; undefined where it is unknown. */
  readonly adapter: string | undefined
  /** The `Host` header, where the request target names a host itself. */
  readonly otherHost: string | undefined
  /** What its body holds of the memory for large ones; undefined where the body is there already. */
  readonly share: BodyShare | undefined
  /** Keeps the platform alive for work after the answer, where the platform has such a function. */
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined
}

/**
 * The router as a map; only its own keys are routes.
 *
 * Fails: as a value, code INVALID_CONFIG, where JavaScript passed something that the compiler would have rejected.
 */
export const toRouteMap = (router: FileRouter): Outcome<ReadonlyMap<string, NamedRoute>> => {
  if (typeof router !== "object" || router === null) {
    return refuse(
      "INVALID_CONFIG",
      `The route handler's option \`router\` must be an object of file routes, not ${typeof router}.`,
    )
  }
  const routes = new Map<string, NamedRoute>()
  for (const [slug, route] of Object.entries(router)) {
    const definition = route?.["~route"] as NamedRoute["definition"] | undefined
    if (definition === undefined) {
      return refuse(
        "INVALID_CONFIG",
        `Route ${JSON.stringify(slug)} of the router is not finished. End it with .onUploadComplete(…).`,
      )
    }
    routes.set(slug, { slug, definition })
  }
  return accept(routes)
}

/** The router as clients may see it, as JSON. Source: docs/protocol.md §5. */
export const describeRoutes = (routes: ReadonlyMap<string, NamedRoute>): string =>
  JSON.stringify(
    [...routes.values()].map(({ slug, definition }): RouteDescription => ({ slug, config: definition.config.config })),
  )
