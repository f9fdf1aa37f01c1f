import { adapterPath } from "../../protocol/names.ts"
import type { RouteConfig } from "../../protocol/files/route-config.ts"
import { readDescriptions, readRouteConfig } from "./route-configs.ts"
import type { UploadSetup, UploadSetupOptions } from "./upload-setup.ts"

/** A configuration as JSON; undefined for none. */
type Told = string | undefined

/** What a handler has said last of a route, and what that replaces: seeds that are newer are not among it. */
interface Renewal {
  readonly config: RouteConfig
  readonly outdated: ReadonlySet<Told>
}

/** How long files wait for the answer before they are told of the refusal without it, ms. */
const patience = 5000

const listeners = new Set<() => void>()
/** By handler and route: all that components in use were told, by seeds, by `routes` and by answers. */
const told = new Map<string, Set<Told>>()
const renewals = new Map<string, Renewal>()

const toHandler = ({ url }: UploadSetupOptions): string => String(url ?? adapterPath)
const toPlace = (options: UploadSetupOptions, slug: string): string => `${toHandler(options)} ${slug}`
const toTold = (config: RouteConfig | undefined): Told => config && JSON.stringify(config)

/** The configuration of a route that a component in use goes by: what the page was told, or what has replaced it. */
export const readCurrentConfig = (setup: UploadSetup<any>, slug: string): RouteConfig | undefined => {
  const config = readRouteConfig(setup, slug)
  const place = toPlace(setup.options, slug)
  told.set(place, (told.get(place) ?? new Set()).add(toTold(config)))
  const renewal = renewals.get(place)
  return renewal?.outdated.has(toTold(config)) ? renewal.config : config
}

/** @returns ends the subscription */
export const onRenewal = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const ask = async (options: UploadSetupOptions) => {
  const { fetch: own = fetch, credentials } = options
  const signal = AbortSignal.timeout?.(patience)
  const headers = { accept: "application/json" }
  const answer = await own(toHandler(options), { headers, signal, credentials: credentials!, cache: "no-cache" })
  return answer.ok ? readDescriptions(await answer.json()) : []
}

/**
 * Asks a handler once more what its routes take, because it has refused what the page let through: the app was deployed
 * anew since. The answer replaces what components in use were told, also by seeds and `routes`.
 *
 * Fails: never; without an answer the page goes on with what it knows.
 */
export const renewRouteConfigs = async (options: UploadSetupOptions): Promise<void> => {
  for (const { slug, config } of await ask(options).catch(() => [])) {
    const place = toPlace(options, slug)
    renewals.set(place, { config, outdated: new Set(told.get(place)) })
  }
  for (const listener of [...listeners]) listener()
}
