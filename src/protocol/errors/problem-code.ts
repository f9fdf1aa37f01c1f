import { helpPage } from "../names.ts"

/** Codes of problems that may be gone when the same request is repeated later, without anybody changing anything. */
const retryable = {
  LOCKED: 423,
  RATE_LIMITED: 429,
  INTERNAL_ERROR: 500,
  CALLBACK_FAILED: 502,
  INGEST_UNAVAILABLE: 503,
  CALLBACK_TIMEOUT: 504,
  NETWORK_ERROR: 0,
} as const

/**
 * The status of every code. With {@link isRetryable}, this is all of the table of problems that a browser needs.
 *
 * Units:  HTTP status; 0 for outcomes that are never sent.
 * Source: docs/protocol.md §11. Codes are stable; a new one is a protocol change.
 */
export const problemStatuses = {
  BAD_REQUEST: 400,
  INVALID_INPUT: 400,
  TOO_FEW_FILES: 400,
  TOO_MANY_FILES: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  INVALID_SIGNATURE: 403,
  EXPIRED_URL: 403,
  NOT_FOUND: 404,
  ROUTE_NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  RANGE_MISMATCH: 409,
  FILE_TOO_LARGE: 413,
  SIZE_MISMATCH: 413,
  FILE_TYPE_NOT_ALLOWED: 415,
  CONTENT_MISMATCH: 415,
  DIGEST_MISMATCH: 422,
  REJECTED: 422,
  MISSING_TOKEN: 500,
  INVALID_TOKEN: 500,
  INVALID_CONFIG: 500,
  ROUTE_FAILED: 500,
  QUOTA_EXCEEDED: 507,
  ABORTED: 0,
  PAUSED: 0,
  ...retryable,
} as const satisfies Record<string, number>

/** A stable error code, see docs/protocol.md §11. */
export type ProblemCode = keyof typeof problemStatuses

/** All codes, in the order of the table. */
export const problemCodes = /* @__PURE__ */ Object.keys(problemStatuses) as ReadonlyArray<ProblemCode>

/** Whether the same request may succeed later without anybody changing anything. */
export const isRetryable = (code: ProblemCode): boolean => code in retryable

/** Whether a value is one of the codes. */
export const isProblemCode = (value: unknown): value is ProblemCode => problemCodes.includes(value as ProblemCode)

/** Where the package explains a code: a path from the app's folder, and the heading. */
export const toHelp = (code: ProblemCode): string => helpPage + code.toLowerCase()
