import * as Effect from "effect/Effect"
import { Rejected } from "../../server-kit/rejected.ts"
import { type App, isCallbackAllowed } from "./apps.ts"
import { isOutOfReach } from "../delivery/callback-transport.ts"
import type { Service } from "../service.ts"

/** Apps look for `data.callbackOrigin` in the first half kilobyte, so not every origin is listed. */
const toForbiddenCallback = ({ callbackOrigins = new Set() }: App, callbackOrigin: string): Rejected => {
  const [a, b, c, ...others] = callbackOrigins
  const allowed = [a, b, c, others.length === 0 ? undefined : `${others.length} more`].filter(Boolean).join(", ")
  return new Rejected({
    code: "FORBIDDEN",
    detail: `Callbacks of this app may not go to ${callbackOrigin}. The ingest's operator allows: ${allowed || "none"}.`,
    data: { callbackOrigin },
  })
}

/** Refuses a callback URL that nothing will be sent to. Fails: FORBIDDEN. */
export const checkDestination = (
  { settings }: Pick<Service, "settings">,
  app: App,
  callbackUrl: string,
): Effect.Effect<void, Rejected> => {
  const url = new URL(callbackUrl)
  if (!isCallbackAllowed(app, url)) return Effect.fail(toForbiddenCallback(app, url.origin))
  if (!isOutOfReach(app, url, settings)) return Effect.void
  return Effect.fail(
    new Rejected({
      code: "FORBIDDEN",
      detail: `Callbacks of this app go to the public Internet only, and ${url.host} is not on it. Give the app a public callback URL; or, for apps in its own network, the ingest's operator starts it with --callback-networks any.`,
      data: { callbackOrigin: url.origin },
    }),
  )
}
