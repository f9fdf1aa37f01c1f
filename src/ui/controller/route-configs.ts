import type { RouteDescription } from "../../protocol/messages.ts"
import { adapterPath } from "../../protocol/names.ts"
import type { RouteConfig } from "../../protocol/files/route-config.ts"
import type { Fetch } from "../../transfer/reply.ts"
import type { RetryOptions } from "../../transfer/retry.ts"
import type { askAgain as AskAgain } from "./ask-again.ts"
import type { HandlerAddress } from "../diagnosis/explain-in-development.ts"

type Routes = ReadonlyArray<RouteDescription>

/** What the routes of handlers take, by the handlers' addresses. */
export type RouteSeeds = ReadonlyMap<string, Routes>

/** What a component is told of its handler. */
interface ToldRoutes {
  readonly options: { readonly url?: HandlerAddress; readonly routes?: Routes | undefined }
  readonly seeds?: RouteSeeds | undefined
}

/** What a program says of its handlers: the same on a server and in its pages, whatever was shown before. */
const seeded = new Map<string, Routes>()
/** All that this page knows, also by a request or from one of its trees. What a server renders does not depend on it. */
const learnt = new Map<string, Routes>()
const asked = new Map<string, Promise<void>>()

const toKey = (url: HandlerAddress): string => String(url ?? adapterPath)

/**
 * Tells all components the routes' configurations before they request them, so that nothing flashes, with the result of
 * `extractRouteConfig(router)` of `sluice/server`. Call it in a module that the server and the page both load, before
 * anything is rendered: it holds for every page of that server. `RouteConfigSeed` is for one page.
 */
export const seedRouteConfig = (routes: Routes, url?: HandlerAddress): void => {
  seeded.set(toKey(url), routes)
  learnRouteConfig(routes, url)
}

/** Tells components that begin without a server's HTML, and those that are on the page already. */
export const learnRouteConfig = (routes: Routes, url?: HandlerAddress): void => {
  learnt.set(toKey(url), routes)
}

/** Adds what `RouteConfigSeed` says to the seeds of its tree. What else there is in the page learns it, too. */
export const addRouteSeed = (before: RouteSeeds | undefined, routes: Routes, url?: HandlerAddress): RouteSeeds => {
  learnRouteConfig(routes, url)
  return new Map(before).set(toKey(url), routes)
}

/**
 * The configuration of a route, if it is known.
 *
 * @param isServed whether only that counts which a server knows as well as the page that it has rendered
 */
export const readRouteConfig = (
  { options: { url, routes }, seeds }: ToldRoutes,
  slug: string,
  isServed?: boolean,
): RouteConfig | undefined => {
  const key = toKey(url)
  const told = routes ?? seeds?.get(key) ?? (isServed ? seeded : learnt).get(key)
  return told?.find((route) => route.slug === slug)?.config
}

/** Whether a kind of file has the field without which components would fail. */
const isKind = (kind: any): boolean => typeof kind?.maxFileSize === "string"

export const isDescriptions = (json: unknown): json is ReadonlyArray<RouteDescription> =>
  Array.isArray(json) &&
  json.every((route) => typeof route?.slug === "string" && Object.values(route.config ?? [0]).every(isKind))

/** How long the first answer may take, ms. */
const patience = 15_000

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
  if (learnt.has(key)) return Promise.resolve()
  let answer = asked.get(key)
  if (answer === undefined) {
    // Older browsers, and some that are none, cannot do that, and wait.
    const signal = AbortSignal.timeout?.(patience)
    const first = fetch(key, { headers: { accept: "application/json" }, signal })
    answer = first
      .then((response) => (response.ok ? response.clone().json() : undefined))
      .then((json) => (isDescriptions(json) ? json : Promise.reject(json)))
      .catch(() => askAgain(key, url, first, fetch, options, isDescriptions))
      .then((routes) => learnRouteConfig(routes, url))
    asked.set(key, answer)
    answer.catch(() => asked.delete(key))
  }
  return answer
}
