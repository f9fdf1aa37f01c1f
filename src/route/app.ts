import type * as Effect from "effect/Effect"
import type { Rejected } from "../http/rejected.ts"
import type { FileRouter, RouteDefinition } from "./file-route.ts"
import type { Credentials, Settings } from "./settings.ts"

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
  readonly fetch: typeof globalThis.fetch
}

/** One request on its way through the handler. */
export interface Call {
  readonly app: App
  readonly request: Request
  readonly url: URL
  /** What the framework's adapter adds to the arguments of user code. */
  readonly native: object
  /** Keeps the platform alive for work after the answer, where it has such a thing. */
  readonly waitUntil: ((work: Promise<unknown>) => void) | undefined
}

/** The router as a map: only its own keys are routes. */
export const toRouteMap = (router: FileRouter): ReadonlyMap<string, NamedRoute> =>
  new Map(Object.entries(router).map(([slug, route]) => [slug, { slug, definition: route["~route"] }]))

/** The router as clients may see it, as JSON. Source: docs/protocol.md §5. */
export const describeRoutes = (routes: ReadonlyMap<string, NamedRoute>): string =>
  JSON.stringify([...routes.values()].map(({ slug, definition }) => ({ slug, config: definition.config.config })))
