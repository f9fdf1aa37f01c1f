import { isDescriptions, readRoutes, renewed, toKey, type ToldRoutes } from "./route-configs.ts"
import type { RouteDescription } from "../../protocol/messages.ts"
import type { UploadSetup } from "./upload-setup.ts"

type Routes = ReadonlyArray<RouteDescription>

/** What handlers have said, by their addresses, and what it replaces, as JSON: newer seeds are not among it. */
const answers = new Map<string, { readonly outdated: ReadonlySet<string | undefined>; readonly routes: Routes }>()

/** How long files wait for the answer before they are told of the refusal without it, ms. */
const patience = 5000

const listeners = new Set<() => void>()

/** @returns ends the subscription */
export const onRenewal = (listener: () => void): (() => void) => {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

const ask = async ({ url, fetch: own = fetch, credentials }: UploadSetup<any>["options"]) => {
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
export const renewRouteConfigs = async (setup: ToldRoutes & UploadSetup<any>): Promise<void> => {
  const before = readRoutes(setup)
  const routes = await ask(setup.options).catch(() => undefined)
  if (routes === undefined) return
  const key = toKey(setup.options.url)
  const outdated = new Set(answers.get(key)?.outdated).add(before && JSON.stringify(before))
  // After a deployment that was taken back.
  outdated.delete(JSON.stringify(routes))
  answers.set(key, { outdated, routes })
  renewed.find = (address, told, isServed) => {
    const answer = isServed ? undefined : answers.get(address)
    return answer?.outdated.has(told && JSON.stringify(told)) ? answer.routes : undefined
  }
  for (const listener of [...listeners]) listener()
}
