import { isLocalUrl } from "../../server-kit/public-address.ts"
import type { App } from "../apps.ts"
import type { Settings } from "../settings.ts"
import { createGuardedFetch } from "./guarded-fetch.ts"
import type { FetchOf } from "./post-event.ts"

type NetworkSettings = Pick<Settings, "callbackNetworks" | "fetch">

/** Whether callbacks of an app may only go to the public Internet. A `fetch` that was given decides for itself. */
const isGuarded = ({ isOwn }: App, { callbackNetworks, fetch }: NetworkSettings): boolean =>
  !isOwn && callbackNetworks === "public" && fetch === undefined

/**
 * Whether a callback URL alone shows that nothing will be sent to it. What a host name resolves to is only checked when
 * it is called.
 */
export const isOutOfReach = (app: App, url: URL, settings: NetworkSettings): boolean =>
  isGuarded(app, settings) && isLocalUrl(url)

/** Makes the `fetch` for the callbacks of each app, as the operator's settings demand. */
export const createCallbackFetch = (
  settings: NetworkSettings & Pick<Settings, "resolveHost">,
): { readonly of: FetchOf; readonly close: () => void } => {
  const guarded = createGuardedFetch(settings.resolveHost)
  // Looked up per call, so that a fetch replaced later (by a test, a tracer) is used.
  const plain = settings.fetch ?? ((url, init) => globalThis.fetch(url, init))
  return { of: (app) => (isGuarded(app, settings) ? guarded.of(app.id) : plain), close: guarded.close }
}
