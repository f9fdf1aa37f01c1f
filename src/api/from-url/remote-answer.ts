import { UploadError } from "../../protocol/errors/upload-error.ts"
import type { HostRules } from "./host-rules.ts"
import { describeUrl } from "./remote-url.ts"

/** One GET, of one URL: redirects are not followed. */
export interface RemoteRequest {
  /** Its host has been checked as far as that is possible without looking up addresses. */
  readonly url: URL
  readonly headers: Headers
  readonly rules: HostRules
  /** Aborts the request, and later its body. */
  readonly signal: AbortSignal
}

/** The answer, as soon as its headers have arrived. */
export interface RemoteAnswer {
  readonly status: number
  readonly headers: Headers
  /** Streamed, and no faster than it is read. */
  readonly body: AsyncIterable<Uint8Array>
  /** Whether the body has been decoded from its `content-encoding`. */
  readonly isDecoded: boolean
}

/** Sends requests. Rejects with an UploadError, or with the runtime's own error when a connection failed. */
export type Transport = (request: RemoteRequest) => Promise<RemoteAnswer>

/** The error for a source that gave no answer or no more bytes; the reason of the abort, where there was one. */
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
