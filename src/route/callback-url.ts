import * as Effect from "effect/Effect"
import { toJsonAnswer } from "../http/answer.ts"
import { logWarning } from "../server-kit/logging.ts"
import { Rejected } from "../server-kit/rejected.ts"
import { envName } from "../protocol/names.ts"
import type { Call } from "./app.ts"

const firstOf = (header: string | null): string | undefined => header?.split(",")[0]?.trim() || undefined

/** The origin that the client used, as far as the proxy in front can be trusted. */
const originOf = ({ app, request, url }: Call): string => {
  if (!app.settings.trustProxy) return url.origin
  const protocol = firstOf(request.headers.get("x-forwarded-proto")) ?? url.protocol.slice(0, -1)
  const host = firstOf(request.headers.get("x-forwarded-host")) ?? url.host
  const forwarded = `${protocol}://${host}`
  return /^https?$/.test(protocol) && URL.canParse(forwarded) ? new URL(forwarded).origin : url.origin
}

/** The origins of this app, as far as it can know them. */
export const ownOrigins = (call: Call): ReadonlyArray<string> =>
  [originOf(call), call.url.origin, call.app.settings.callbackUrl].flatMap((url) =>
    url === undefined ? [] : new URL(url).origin,
  )

/** The prefixes that proxies have removed from the path, the client's first; each proxy adds its own. */
const prefixOf = ({ app, request }: Call): string => {
  const prefixes = app.settings.trustProxy ? (request.headers.get("x-forwarded-prefix") ?? "").split(",") : []
  const prefix = prefixes.map((one) => one.trim().replace(/\/+$/, "")).join("")
  return /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~%!$&'()*+;=:@-]+)+$/.test(prefix) ? prefix : ""
}

/** The hosts of a machine that talks to itself: trusted unless this is known to be production. */
const loopback = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/

/** Loaded when a host is refused, which is rare in a correctly configured app. */
const loadRefusal = Effect.promise(() => import("./refuse-host.ts"))

/**
 * Where the ingest would call the app back: as configured, otherwise this request's own origin and path. Also returns
 * the host in it, if it is not known to be the app's.
 *
 * A callback with the app's signature goes to the named host, and any client can choose `Host`. So a request is only
 * trusted where it names an allowed host, except in development, where nothing is sent.
 */
const locateCallbacks = (call: Call): { readonly callbackUrl: string; readonly stranger: string | undefined } => {
  const { callbackUrl, allowedHosts, isDev, isProduction } = call.app.settings
  if (callbackUrl !== undefined) return { callbackUrl, stranger: undefined }
  const { url, otherHost } = call
  const origin = originOf(call)
  const allowed = allowedHosts ?? (isProduction ? undefined : loopback)
  const hosts = [new URL(origin).host]
  if (otherHost !== undefined && origin === url.origin) {
    const other = `${url.protocol}//${otherHost}`
    hosts.push(URL.canParse(other) ? new URL(other).host : otherHost)
  }
  return {
    callbackUrl: origin + prefixOf(call) + url.pathname,
    stranger: isDev ? undefined : hosts.find((host) => !allowed?.test(host)),
  }
}

/**
 * Tells a caller that has the app's key where an upload that came the same way would go and have its callbacks sent,
 * and why it would be refused. It runs no code of the app and does not call the ingest.
 *
 * Source: docs/protocol.md §8.
 */
export const answerCheck = Effect.fnUntraced(function* (call: Call, json: unknown, ingestUrl: string) {
  const { toCheckAnswer } = yield* loadRefusal
  const answer = toCheckAnswer(call, json, ingestUrl, locateCallbacks(call), envName)
  return typeof answer === "string" ? yield* new Rejected({ code: "FORBIDDEN", detail: answer }) : toJsonAnswer(answer)
})

/**
 * The URL at which the ingest calls the app back.
 *
 * Fails:  `Rejected`, codes INVALID_CONFIG (the app's hosts are not configured), FORBIDDEN (this host is not one of
 *         them; logged, and in production strangers get no details).
 * Source: docs/protocol.md §5.
 */
export const callbackUrlOf = Effect.fnUntraced(function* (call: Call) {
  const { callbackUrl, stranger } = locateCallbacks(call)
  if (stranger === undefined) return callbackUrl
  const { news, ...refusal } = (yield* loadRefusal).refuseHost(call, stranger, envName)
  if (news !== undefined) yield* logWarning(news)
  return yield* new Rejected(refusal)
})
