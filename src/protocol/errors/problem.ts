import type { Json } from "../json.ts"
import { names } from "../names.ts"
import { isRetryable, type ProblemCode, problemCodes, problemStatuses } from "./problem-code.ts"

export { isProblemCode, type ProblemCode, toHelp } from "./problem-code.ts"

/** What the table says of a code. */
export interface ProblemRow {
  /** HTTP status; 0 for outcomes that are never sent. */
  readonly status: number
  readonly title: string
  /** Whether the same request may succeed later without anybody changing anything. */
  readonly retryable: boolean
}

const titles: Readonly<Record<ProblemCode, string>> = {
  BAD_REQUEST: "The request is malformed",
  INVALID_INPUT: "The input does not match the route's schema",
  TOO_FEW_FILES: "Too few files",
  TOO_MANY_FILES: "Too many files",
  UNAUTHORIZED: "The session or the API key is missing or not valid",
  FORBIDDEN: "Not allowed",
  INVALID_SIGNATURE: "The signature does not match",
  EXPIRED_URL: "The signed URL has expired",
  NOT_FOUND: "Not found",
  ROUTE_NOT_FOUND: "No such file route",
  METHOD_NOT_ALLOWED: "Method not allowed",
  RANGE_MISMATCH: "The upload does not continue where the stored bytes end",
  FILE_TOO_LARGE: "The file is too large",
  SIZE_MISMATCH: "The body is larger than the signed size",
  FILE_TYPE_NOT_ALLOWED: "The file type is not allowed",
  CONTENT_MISMATCH: "The content is not of the declared type",
  DIGEST_MISMATCH: "The content does not match its digest",
  REJECTED: "The file was rejected",
  LOCKED: "Another upload of this file is still running",
  RATE_LIMITED: "Too many requests",
  MISSING_TOKEN: "The token is not configured",
  INVALID_TOKEN: "The configured token is not valid",
  INVALID_CONFIG: "The configuration is not valid",
  ROUTE_FAILED: "The app's own code failed",
  INTERNAL_ERROR: "Internal error",
  CALLBACK_FAILED: "The app failed to handle the finished upload",
  INGEST_UNAVAILABLE: "The ingest cannot be reached",
  CALLBACK_TIMEOUT: "The app has not answered the callback yet",
  QUOTA_EXCEEDED: "The storage quota is used up",
  ABORTED: "The upload was aborted",
  PAUSED: "The upload is paused",
  NETWORK_ERROR: "The network failed",
}

/**
 * Every way Sluice refuses or fails: code → HTTP status, title, whether a retry can help.
 *
 * Source: docs/protocol.md §11.
 */
export const problems: Readonly<Record<ProblemCode, ProblemRow>> = /* @__PURE__ */ (() => {
  const rows = problemCodes.map((code) => {
    return [code, { status: problemStatuses[code], title: titles[code], retryable: isRetryable(code) }] as const
  })
  return Object.fromEntries(rows) as Record<ProblemCode, ProblemRow>
})()

/** Media type of every error body. */
export const problemMediaType = "application/problem+json"

/**
 * A problem document (RFC 9457).
 *
 * Shape:  `detail` says what to do about it; `data` is the output of the route's error formatter.
 * Source: docs/protocol.md §11.
 */
export interface ProblemDocument {
  readonly type: string
  readonly title: string
  readonly status: number
  readonly detail: string
  readonly code: ProblemCode
  readonly data?: Json
}

const isErrorStatus = (status: number | undefined): status is number =>
  status !== undefined && Number.isInteger(status) && status >= 400 && status <= 599

/**
 * Makes a problem document from the table; `status` only where user code chose its own. A status that is not an error,
 * such as that of a code that is never sent, becomes 500.
 */
export const toProblemDocument = (
  code: ProblemCode,
  detail: string,
  options: { readonly data?: Json | undefined; readonly status?: number | undefined } = {},
): ProblemDocument => {
  const { status, title } = problems[code]
  return {
    type: names.problemType + code.toLowerCase().replaceAll("_", "-"),
    title,
    status: isErrorStatus(options.status) ? options.status : isErrorStatus(status) ? status : 500,
    detail,
    code,
    ...(options.data === undefined ? undefined : { data: options.data }),
  }
}
