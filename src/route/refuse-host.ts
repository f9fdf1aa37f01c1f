import type { CheckAnswer, CheckRequest } from "../protocol/messages.ts"
import type { Call } from "./app.ts"

// Imports nothing at run time: bundlers would cut what a module loaded on demand shares with the handler out of it into
// a chunk of its own.

/** How many characters of a host chosen by a stranger are shown. */
const longest = 200

const cut = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text)

/** Explains to the operator of the app why no callbacks can be sent to a host, and what to set. */
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
 * The refusal of a request that names a host other than the app's, and its log entry. Strangers see
 * not even the host: a proxy may have named the one that it reaches the app by.
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
  // Logged like every fault of the configuration, and as the same fault whatever strangers request: the host is not part of it.
  if (allowedHosts === undefined) {
    const detail = explainHost(call, "whatever host a request names", envName)
    return { code: "INVALID_CONFIG", detail, cause: `The request named ${cut(host)}.` }
  }
  const detail = explainHost(call, host, envName)
  return {
    code: "FORBIDDEN",
    detail: isOpen ? detail : "The host that the request names is not one of this app's. Its log says more.",
    // A list that misses one of the app's own hosts looks like an attack.
    ...(call.app.remindOfHost(cut(host)) !== undefined && { news: `An upload was refused. ${detail}` }),
  }
}

/** The answer to a signed {@link CheckRequest}, or why it is refused. */
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
