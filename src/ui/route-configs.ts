import type { RouteDescription } from "../protocol/messages.ts"
import { names } from "../protocol/names.ts"
import type { RouteConfig } from "../protocol/route-config.ts"
import { type Fetch, fetchReply, readReply } from "../client/reply.ts"
import { retry, type RetryOptions } from "../client/retry.ts"

/** Where a route handler is. */
type Address = string | URL | undefined

/** What the routes of each handler take, asked once per page. On a server it holds what was seeded: no user's data. */
const known = new Map<string, ReadonlyMap<string, RouteConfig>>()
const asked = new Map<string, Promise<void>>()

const toKey = (url: Address): string => String(url ?? names.adapterPath)

/**
 * Tells components what the routes take before they ask, so that nothing flashes: on the server before rendering, and
 * in the browser before hydration, with what `extractRouteConfig(router)` of `sluice/server` gave.
 */
export const seedRouteConfig = (routes: ReadonlyArray<RouteDescription>, url?: Address): void => {
  known.set(toKey(url), new Map(routes.map(({ slug, config }) => [slug, config])))
}

/** What a route takes, as far as that is known. */
export const readRouteConfig = (url: Address, slug: string): RouteConfig | undefined => known.get(toKey(url))?.get(slug)

const isDescriptions = (json: unknown): json is ReadonlyArray<RouteDescription> =>
  Array.isArray(json) && json.every((route) => typeof route?.slug === "string" && typeof route.config === "object")

/**
 * Asks the route handler what its routes take, unless that is known or being asked.
 *
 * Shape:  `GET {url}` → one {@link RouteDescription} per route.
 * Fails:  rejects with an UploadError; the next call asks again.
 * Source: docs/protocol.md §5.
 */
export const loadRouteConfigs = (url: Address, fetch: Fetch, options: RetryOptions): Promise<void> => {
  const key = toKey(url)
  if (known.has(key)) return Promise.resolve()
  let answer = asked.get(key)
  if (answer === undefined) {
    answer = retry(
      async () =>
        readReply(await fetchReply(fetch, key, { headers: { accept: "application/json" } }), (json) =>
          isDescriptions(json) ? json : undefined,
        ),
      options,
      new AbortController().signal,
    ).then((routes) => {
      if (!known.has(key)) seedRouteConfig(routes, url)
    })
    asked.set(key, answer)
    answer.catch(() => asked.delete(key))
  }
  return answer
}
