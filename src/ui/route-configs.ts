import type { RouteDescription } from "../protocol/messages.ts"
import { adapterPath } from "../protocol/names.ts"
import type { RouteConfig } from "../protocol/route-config.ts"
import type { Fetch } from "../transfer/reply.ts"
import type { RetryOptions } from "../transfer/retry.ts"
import type { askAgain as AskAgain } from "./ask-again.ts"
import type { HandlerAddress } from "./explain-in-development.ts"

/** What the routes of each handler take, asked once per page. On a server it holds what was seeded: no user's data. */
const known = new Map<string, ReadonlyMap<string, RouteConfig>>()
const asked = new Map<string, Promise<void>>()

const toKey = (url: HandlerAddress): string => String(url ?? adapterPath)

/**
 * Tells components what the routes take before they ask, so that nothing flashes: on the server before rendering, and
 * in the browser before hydration, with what `extractRouteConfig(router)` of `sluice/server` gave.
 */
export const seedRouteConfig = (routes: ReadonlyArray<RouteDescription>, url?: HandlerAddress): void => {
  known.set(toKey(url), new Map(routes.map(({ slug, config }) => [slug, config])))
}

/** What a route takes, as far as that is known. */
export const readRouteConfig = (url: HandlerAddress, slug: string): RouteConfig | undefined =>
  known.get(toKey(url))?.get(slug)

/** A kind of file, as far as components would fail without it. */
const isKind = (kind: any): boolean => typeof kind?.maxFileSize === "string"

const isDescriptions = (json: unknown): json is ReadonlyArray<RouteDescription> =>
  Array.isArray(json) &&
  json.every((route) => typeof route?.slug === "string" && Object.values(route.config ?? [0]).every(isKind))

/** What was asked is asked again, with all that makes sense of an answer that is none. */
const askAgain = async (...args: Parameters<typeof AskAgain>) => (await import("./ask-again.ts")).askAgain(...args)

/**
 * Asks the route handler what its routes take, unless that is known or being asked.
 *
 * Shape:  `GET {url}` → one {@link RouteDescription} per route.
 * Fails:  rejects with an UploadError; the next call asks again.
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
