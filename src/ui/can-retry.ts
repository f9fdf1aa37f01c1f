import type { ProblemCode } from "../protocol/problem.ts"

const helps = [
  // The connection, or a server that is overloaded or being restarted.
  "NETWORK_ERROR",
  "INTERNAL_ERROR",
  "INGEST_UNAVAILABLE",
  "RATE_LIMITED",
  "LOCKED",
  // The app's own code, which may be right the next time. The bytes are stored: none are sent again.
  "ROUTE_FAILED",
  "CALLBACK_FAILED",
  "CALLBACK_TIMEOUT",
  // Bytes and offset did not fit: the ingest is asked anew where to go on.
  "RANGE_MISMATCH",
  // Signed in again, in another tab say: the next request carries the new cookie.
  "UNAUTHORIZED",
] as const satisfies ReadonlyArray<ProblemCode>

/** The same file would be refused again, until somebody changes the file, the choice, the user's rights or the app. */
type Hopeless =
  // The app has said no to this user, this file, or this choice of files.
  | "FORBIDDEN"
  | "BAD_REQUEST"
  | "INVALID_INPUT"
  | "TOO_FEW_FILES"
  | "TOO_MANY_FILES"
  | "FILE_TOO_LARGE"
  | "FILE_TYPE_NOT_ALLOWED"
  // The file is not what it was, or not what it says: it has to be chosen again, or is another one.
  | "SIZE_MISMATCH"
  | "CONTENT_MISMATCH"
  | "DIGEST_MISMATCH"
  // It could not be renewed any more: what is stored of it is given up.
  | "EXPIRED_URL"
  | "NOT_FOUND"
  // Somebody has to free space, or to mend the app, before anything arrives.
  | "QUOTA_EXCEEDED"
  | "INVALID_SIGNATURE"
  | "ROUTE_NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "MISSING_TOKEN"
  | "INVALID_TOKEN"
  | "INVALID_CONFIG"
  // No failures: the list offers what can be done about them.
  | "ABORTED"
  | "PAUSED"

/** Every code is decided, once: a new one does not compile before it is. */
type Undecided = Exclude<ProblemCode, Hopeless | (typeof helps)[number]>
type Contradicted = Extract<Hopeless, (typeof helps)[number]>

const codes: ReadonlySet<ProblemCode> = new Set<[Undecided, Contradicted] extends [never, never] ? ProblemCode : never>(
  helps,
)

/**
 * Whether *Try again* is worth its place beside a file that has failed with this code: whether the same file, sent once
 * more by its user, may arrive. More than what is retried without being asked.
 */
export const canRetry = (code: ProblemCode): boolean => codes.has(code)
