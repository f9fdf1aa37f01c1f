import type { Call } from "./app.ts"

const firstOf = (header: string | null): string | undefined => header?.split(",")[0]?.trim() || undefined

/** The origin the client used, as far as the proxy in front may be believed. */
const originOf = ({ app, request, url }: Call): string => {
  if (!app.settings.trustProxy) return url.origin
  const protocol = firstOf(request.headers.get("x-forwarded-proto")) ?? url.protocol.slice(0, -1)
  const host = firstOf(request.headers.get("x-forwarded-host")) ?? url.host
  const forwarded = `${protocol}://${host}`
  return /^https?$/.test(protocol) && URL.canParse(forwarded) ? new URL(forwarded).origin : url.origin
}

/** What proxies have cut off the path, the client's first; each adds its own. */
const prefixOf = ({ app, request }: Call): string => {
  const prefixes = app.settings.trustProxy ? (request.headers.get("x-forwarded-prefix") ?? "").split(",") : []
  const prefix = prefixes.map((one) => one.trim().replace(/\/+$/, "")).join("")
  return /^(?:\/[\w.~%!$&'()*+;=:@-]+)+$/.test(prefix) ? prefix : ""
}

/**
 * Where the ingest calls the app back: as configured, else this request's own origin and path.
 *
 * Source: docs/protocol.md §5.
 */
export const callbackUrlOf = (call: Call): string =>
  call.app.settings.callbackUrl ?? originOf(call) + prefixOf(call) + call.url.pathname
