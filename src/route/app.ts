import type * as Effect from "effect/Effect"
import type { FaultLog } from "../server-kit/fault-log.ts"
import type { Rejected } from "../server-kit/rejected.ts"
import type { Credentials } from "../protocol/credentials.ts"
import type { RouteDescription } from "../protocol/messages.ts"
import { accept, type Outcome, refuse } from "../protocol/outcome.ts"
import type { FileRouter, RouteDefinition } from "./builder/file-route.ts"
import type { Settings } from "./settings.ts"

/** A route of the router under the name clients know it by. */
export interface NamedRoute {
  readonly slug: string
  readonly definition: RouteDefinition<object>
}

/** Everything about the app that outlives a request; made once. */
export interface App {
  readonly settings: Settings
  /** Fails where the token does; only operations that need it ask for it. */
  readonly credentials: Effect.Effect<Credentials, Rejected>
  readonly routes: ReadonlyMap<string, NamedRoute>
  /** GET's answer. */
  readonly description: string
  /** What of a rejection may be told to whoever asks. */
  readonly publish: (rejected: Rejected) => Rejected
  readonly logFault: FaultLog
  /** Whether a warning of the ingest is to be logged: how often it was not since it was last, or undefined. */
  readonly remind: (text: string) => number | undefined
  /** The same of hosts that requests name: anybody can think of another one. */
  readonly remindOfHost: (host: string) => number | undefined
  readonly fetch: typeof globalThis.fetch
}

/** One request on its way through the handler. */
export interface Call {
  readonly app: App
  readonly request: Request
  readonly url: URL
  /** What the framework's adapter adds to the arguments of user code. */
  readonly native: object
  /** The framework's name; undefined where nobody says. */
  readonly adapter: string | undefined
  /** What `Host` says where the target names a host itself. */
  readonly otherHost: string | undefined
  /** Keeps the platform alive for work after the answer, where it has such a thing. */
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined
}

/**
 * The router as a map: only its own keys are routes.
 *
 * Fails: as a value, code INVALID_CONFIG, where JavaScript let through what the compiler would not have.
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
