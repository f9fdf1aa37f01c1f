import type { RouteDescription } from "../protocol/messages.ts"
import { adapterPath } from "../protocol/names.ts"
import type { RouteConfig } from "../protocol/route-config.ts"
import type { Fetch } from "../transfer/reply.ts"
import type { RetryOptions } from "../transfer/retry.ts"
import type { askAgain as AskAgain } from "./ask-again.ts"
import type { HandlerAddress } from "./explain-in-development.ts"

/** The configurations of each handler's routes, requested once per page. On a server it holds seeded ones: no user's data. */
const known = new Map<string, ReadonlyMap<string, RouteConfig>>()
const asked = new Map<string, Promise<void>>()

const toKey = (url: HandlerAddress): string => String(url ?? adapterPath)

/**
 * Tells components the routes' configurations before they request them, so that nothing flashes: on the server before
 * rendering, and in the browser before hydration, with the result of `extractRouteConfig(router)` of `sluice/server`.
 */
export const seedRouteConfig = (routes: ReadonlyArray<RouteDescription>, url?: HandlerAddress): void => {
  known.set(toKey(url), new Map(routes.map(({ slug, config }) => [slug, config])))
}

/** The configuration of a route, if it is known. */
export const readRouteConfig = (url: HandlerAddress, slug: string): RouteConfig | undefined =>
  known.get(toKey(url))?.get(slug)

/** Whether a kind of file has the field without which components would fail. */
const isKind = (kind: any): boolean => typeof kind?.maxFileSize === "string"

const isDescriptions = (json: unknown): json is ReadonlyArray<RouteDescription> =>
  Array.isArray(json) &&
  json.every((route) => typeof route?.slug === "string" && Object.values(route.config ?? [0]).every(isKind))

/** Repeats the request, with the code that evaluates an answer that failed. */
const askAgain = async (...args: Parameters<typeof AskAgain>) => (await import("./ask-again.ts")).askAgain(...args)

/**
 * Requests the routes' configurations from the route handler, unless they are known or being requested.
 *
 * Shape:  `GET {url}` → one {@link RouteDescription} per route.
 * Fails:  rejects with an UploadError; the next call repeats the request.
 * Source: docs/protocol.md §5.
 */
export const loadRouteConfigs = (url: HandlerAddress, fetch: Fetch, options: RetryOptions): Promise<void> => {
  const key = toKey(url)
  if (known.has(key)) return Promise.resolve()
  let answer = asked.get(key)
  if (answer === undefined) {
    const first = fetch(key, { headers: { accept: "application/json" } })
    answer = first
      .then((response) => (response.ok ? response.clone().json() : undefined))
      .then((json) => (isDescriptions(json) ? json : Promise.reject(json)))
      .catch(() => askAgain(key, url, first, fetch, options, isDescriptions))
      .then((routes) => {
        if (!known.has(key)) seedRouteConfig(routes, url)
      })
    asked.set(key, answer)
    answer.catch(() => asked.delete(key))
  }
  return answer
}
