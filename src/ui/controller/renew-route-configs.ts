import type { RouteDescription } from "../../protocol/messages.ts"
import { isDescriptions, readRouteConfig, toKey } from "./route-configs.ts"
import type { UploadSetupOptions } from "./upload-setup.ts"

type Routes = ReadonlyArray<RouteDescription>

/** Routes as JSON; undefined for none. */
type Told = string | undefined

/** What a handler has said last, and what it replaces: seeds that are newer than it are not among that. */
interface Renewal {
  readonly routes: Routes
  readonly outdated: ReadonlySet<Told>
}

/** How long files wait for the answer before they are told of the refusal without it, ms. */
const patience = 5000

const listeners = new Set<() => void>()
/** By the addresses of handlers: all that the page was told, by seeds, by `routes` and by answers. */
const told = new Map<string, Set<Told>>()
const renewals = new Map<string, Renewal>()

const toTold = (routes: Routes | undefined): Told => routes && JSON.stringify(routes)

readRouteConfig.renew = (key, routes, isServed) => {
  const one = toTold(routes)
  told.set(key, (told.get(key) ?? new Set()).add(one))
  const renewal = renewals.get(key)
  return !isServed && renewal?.outdated.has(one) ? renewal.routes : undefined
}

/** @returns ends the subscription */
export const onRenewal = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const ask = async ({ url, fetch: own = fetch, credentials }: UploadSetupOptions) => {
  const signal = AbortSignal.timeout?.(patience)
  const headers = { accept: "application/json" }
  const answer = await own(toKey(url), { headers, signal, credentials: credentials!, cache: "no-cache" })
  const json: unknown = answer.ok ? await answer.json() : undefined
  return isDescriptions(json) ? json : undefined
}

/**
 * Asks a handler once more what its routes take, because it has refused what the page let through: the app was deployed
 * anew since. The answer replaces what the page knew, also from its seeds and its `routes`.
 *
 * Fails: never; without an answer the page goes on with what it knows.
 */
export const renewRouteConfigs = async (options: UploadSetupOptions): Promise<void> => {
  const key = toKey(options.url)
  const routes = await ask(options).catch(() => undefined)
  if (routes === undefined) return
  const outdated = new Set(told.get(key))
  // After a deployment that was taken back.
  outdated.delete(toTold(routes))
  renewals.set(key, { routes, outdated })
  for (const listener of [...listeners]) listener()
}
