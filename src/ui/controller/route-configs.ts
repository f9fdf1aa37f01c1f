import type { RouteDescription } from "../../protocol/messages.ts"
import { adapterPath } from "../../protocol/names.ts"
import type { RouteConfig } from "../../protocol/files/route-config.ts"
import type { Fetch } from "../../transfer/reply.ts"
import type { RetryOptions } from "../../transfer/retry.ts"
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

/** Whether a kind of file has what components read of it, as route handlers write it: they would fail with all else. */
const isKind = ({ maxFileSize, maxFileCount, minFileCount, noun = "" }: any): boolean =>
  /^\["[\d.]+[KMGT]?B",[1-9]\d*,[1-9]\d*,"/.test(JSON.stringify([maxFileSize, maxFileCount, minFileCount, noun]))

/** The routes in an answer, each of which takes some kind of file. Fails: throws at any other answer. */
export const readDescriptions = (json: any): Routes => {
  const isRoute = ({ slug, config }: any) =>
    typeof slug === "string" && /^(true,?)+$/.test(Object.values(config).map(isKind).join())
  if (json.every(isRoute)) return json
  throw json
}

/**
 * Requests the routes' configurations from the route handler, unless they are known or being requested.
 *
 * Shape:  `GET {url}` → one {@link RouteDescription} per route.
 * Fails:  rejects with an UploadError; the next call repeats the request.
 * Source: docs/protocol.md §5.
 */
export const loadRouteConfigs = async (url: HandlerAddress, fetch: Fetch, options: RetryOptions): Promise<void> => {
  const key = toKey(url)
  if (learnt.has(key)) return
  let answer = asked.get(key)
  if (answer === undefined) {
    // How long the first answer may take, ms. Older browsers, and some that are none, cannot do that, and wait.
    const signal = AbortSignal.timeout?.(15_000)
    const first = fetch(key, { headers: { accept: "application/json" }, signal })
    answer = first
      .then((response) => (response.ok ? response.clone().json() : undefined))
      .then(readDescriptions)
      // Repeats the request, with the code that evaluates an answer that failed.
      .catch(async () => (await import("./ask-again.ts")).askAgain(key, url, first, fetch, options, readDescriptions))
      .then((routes) => learnRouteConfig(routes, url))
    asked.set(key, answer)
    answer.catch(() => asked.delete(key))
  }
  return answer
}
