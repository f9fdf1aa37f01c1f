import type { Json } from "./json.ts"
import { names } from "./names.ts"

interface ProblemRow {
  /** HTTP status; 0 for outcomes that never travel. */
  readonly status: number
  readonly title: string
  /** Whether the same request may succeed later without anybody changing anything. */
  readonly retryable: boolean
}

const row = (status: number, title: string, retryable = false): ProblemRow => ({ status, title, retryable })

/**
 * Every way Sluice refuses or fails: code → HTTP status, title, whether a retry can help.
 *
 * Source: docs/protocol.md §11. Codes are stable; a new one is a protocol change.
 */
export const problems = {
  BAD_REQUEST: row(400, "The request is malformed"),
  INVALID_INPUT: row(400, "The input does not match the route's schema"),
  TOO_FEW_FILES: row(400, "Too few files"),
  TOO_MANY_FILES: row(400, "Too many files"),
  UNAUTHORIZED: row(401, "The API key is missing or wrong"),
  FORBIDDEN: row(403, "Not allowed"),
  INVALID_SIGNATURE: row(403, "The signature does not match"),
  EXPIRED_URL: row(403, "The signed URL has expired"),
  NOT_FOUND: row(404, "Not found"),
  ROUTE_NOT_FOUND: row(404, "No such file route"),
  METHOD_NOT_ALLOWED: row(405, "Method not allowed"),
  RANGE_MISMATCH: row(409, "The upload does not continue where the stored bytes end"),
  FILE_TOO_LARGE: row(413, "The file is too large"),
  SIZE_MISMATCH: row(413, "The body is larger than the signed size"),
  FILE_TYPE_NOT_ALLOWED: row(415, "The file type is not allowed"),
  CONTENT_MISMATCH: row(415, "The content is not of the declared type"),
  DIGEST_MISMATCH: row(422, "The content does not match its digest"),
  LOCKED: row(423, "Another upload of this file is still running", true),
  RATE_LIMITED: row(429, "Too many requests", true),
  MISSING_TOKEN: row(500, "The token is not configured"),
  INVALID_TOKEN: row(500, "The configured token is not valid"),
  INVALID_CONFIG: row(500, "The configuration is not valid"),
  INTERNAL_ERROR: row(500, "Internal error", true),
  CALLBACK_FAILED: row(502, "The app failed to handle the finished upload", true),
  INGEST_UNAVAILABLE: row(503, "The ingest cannot be reached", true),
  CALLBACK_TIMEOUT: row(504, "The app has not answered the callback yet", true),
  QUOTA_EXCEEDED: row(507, "The storage quota is used up"),
  ABORTED: row(0, "The upload was aborted"),
  PAUSED: row(0, "The upload is paused"),
  NETWORK_ERROR: row(0, "The network failed", true),
} as const satisfies Record<string, ProblemRow>

/** A stable error code, see docs/protocol.md §11. */
export type ProblemCode = keyof typeof problems

export const isProblemCode = (value: unknown): value is ProblemCode =>
  typeof value === "string" && Object.hasOwn(problems, value)

/** Media type of every error body. */
export const problemMediaType = "application/problem+json"

/**
 * A problem document (RFC 9457).
 *
 * Shape:  `detail` says what to do about it; `data` is the route's own error formatter's output.
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
 * Fills a problem document from the table; `status` only where user code chose its own. One that is no error status,
 * as that of a code that never travels, becomes 500.
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
