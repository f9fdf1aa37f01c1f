import { createTransport } from "../../http/own-transport.ts"
import type { Send } from "../../http/transport.ts"
import { isLocalUrl } from "../../server-kit/public-address.ts"
import type { App } from "../access/apps.ts"
import type { Settings } from "../settings.ts"
import { createGuardedTransport } from "./guarded-transport.ts"

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

/** Sends the callbacks of each app, until it is closed. */
export interface CallbackTransport {
  /** @param receiver whose look-ups of names wait for each other: the app's callbacks, or one of its endpoints */
  readonly of: (app: App, receiver?: string) => Send
  readonly close: () => void
}

/** Sends callbacks as the operator's settings demand. */
export const createCallbackTransport = (
  settings: NetworkSettings & Pick<Settings, "maxConcurrentCallbacks" | "resolveHost">,
): CallbackTransport => {
  // How many of them go to one app is bounded by the slots; none of those waits for a connection.
  const { fetch, maxConcurrentCallbacks, resolveHost } = settings
  const guarded = createGuardedTransport(resolveHost, maxConcurrentCallbacks)
  const plain = createTransport(fetch, maxConcurrentCallbacks)
  return {
    of: (app, receiver = app.id) => (isGuarded(app, settings) ? guarded.of(receiver) : plain.send),
    close: () => {
      guarded.close()
      plain.close()
    },
  }
}
