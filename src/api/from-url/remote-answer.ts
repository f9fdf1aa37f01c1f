import { UploadError } from "../../protocol/upload-error.ts"
import type { HostRules } from "./host-rules.ts"
import { describeUrl } from "./remote-url.ts"

/** One GET, of one URL: redirects are not followed. */
export interface RemoteRequest {
  /** Its host has been checked as far as that goes without asking for addresses. */
  readonly url: URL
  readonly headers: Headers
  readonly rules: HostRules
  /** Ends the request, and later its body. */
  readonly signal: AbortSignal
}

/** What came back, as soon as its headers are there. */
export interface RemoteAnswer {
  readonly status: number
  readonly headers: Headers
  /** As it comes, and no faster than it is read. */
  readonly body: AsyncIterable<Uint8Array>
  /** Whether the body has been freed of its `content-encoding`. */
  readonly isDecoded: boolean
}

/** How requests are made. Rejects with an UploadError, or with whatever the runtime says of a connection that failed. */
export type Transport = (request: RemoteRequest) => Promise<RemoteAnswer>

/** Why a source gave no answer or no more bytes; what an abort gave as its reason, where there was one. */
export const toSourceError = (cause: unknown, url: URL, signal: AbortSignal): UploadError => {
  if (signal.aborted) {
    const { reason } = signal
    if (UploadError.is(reason)) return reason
    return new UploadError({ code: "ABORTED", message: `Fetching ${describeUrl(url)} was aborted.`, cause: reason })
  }
  if (UploadError.is(cause)) return cause
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  const reason = typeof code === "string" ? ` (${code})` : ""
  const message = `The server of ${describeUrl(url)} cannot be reached, or it broke off${reason}. Check the URL and try again.`
  return new UploadError({ code: "NETWORK_ERROR", message, cause })
}
