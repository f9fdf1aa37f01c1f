import type { CheckAnswer, CheckRequest } from "../protocol/messages.ts"
import type { Call } from "./app.ts"

// Imports nothing at run time: what a module loaded on demand shares with the handler, bundlers cut out of that as a chunk
// of its own.

/** Characters of what a stranger called a host. */
const longest = 200

const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)

/** For whoever runs the app: why nobody can be called back at a host, and what to set. */
const explainHost = ({ app, request }: Call, host: string, envName: (option: string) => string): string => {
  const { allowedHosts, trustProxy } = app.settings
  const forwarded = request.headers.get("x-forwarded-host")
  const proxy =
    trustProxy || forwarded === host
      ? ""
      : forwarded === null
        ? "; behind a proxy set trustProxy"
        : `; a proxy says ${JSON.stringify(cut(forwarded))}, which is used only with ${envName("trustProxy")}`
  const why =
    allowedHosts === undefined ? "any client can choose" : `is not among the allowed hosts (its port counts${proxy})`
  return `Callbacks would go to ${cut(host)}, which ${why}. Set ${envName("callbackUrl")} to the URL of this handler, or ${envName("allowedHosts")} to the app's hosts.`
}

/**
 * The refusal of a request that names a host which is not the app's, and what is to be logged of it. Strangers
 * are told the host alone, which they named themselves.
 */
export const refuseHost = (
  call: Call,
  host: string,
  envName: (option: string) => string,
): {
  readonly code: "INVALID_CONFIG" | "FORBIDDEN"
  readonly detail: string
  readonly cause?: string
  readonly news?: string
} => {
  const { allowedHosts, isOpen } = call.app.settings
  // Logged as every fault of the configuration is, and one fault whatever strangers ask for: the host is no part of it.
  if (allowedHosts === undefined) {
    const detail = explainHost(call, "whatever host a request names", envName)
    return { code: "INVALID_CONFIG", detail, cause: `The request named ${cut(host)}.` }
  }
  const detail = explainHost(call, host, envName)
  return {
    code: "FORBIDDEN",
    detail: isOpen ? detail : `The host ${cut(host)} is not one of this app's. Its log says more.`,
    // A list that misses one of the app's own hosts looks like an attack.
    ...(call.app.remindOfHost(cut(host)) !== undefined && { news: `An upload was refused. ${detail}` }),
  }
}

/** The answer to a signed {@link CheckRequest}, or why there is none. */
export const toCheckAnswer = (
  call: Call,
  json: unknown,
  ingestUrl: string,
  { callbackUrl, stranger }: { readonly callbackUrl: string; readonly stranger: string | undefined },
  envName: (option: string) => string,
): CheckAnswer | string => {
  const { status, sentAt } = json as Partial<CheckRequest>
  const { callbackTolerance, isDev } = call.app.settings
  return status === "check" && Math.abs(Date.now() - Number(sentAt)) <= callbackTolerance
    ? { callbackUrl, refusal: stranger === undefined ? null : explainHost(call, stranger, envName), isDev, ingestUrl }
    : "This was not signed as a check, or too long ago. Check the clocks."
}
