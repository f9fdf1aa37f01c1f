import type { ProblemCode } from "../../protocol/errors/problem.ts"

const helps = [
  // The connection, or a server that is overloaded or being restarted.
  "NETWORK_ERROR",
  "INTERNAL_ERROR",
  "INGEST_UNAVAILABLE",
  "RATE_LIMITED",
  "LOCKED",
  // The app's own code, which may succeed the next time. The bytes are stored: none are sent again.
  "ROUTE_FAILED",
  "CALLBACK_FAILED",
  "CALLBACK_TIMEOUT",
  // Bytes and offset did not match: the ingest is asked again where to resume.
  "RANGE_MISMATCH",
  // The user may have deleted something.
  "QUOTA_EXCEEDED",
  // The user may have signed in again, for example in another tab: the next request carries the new cookie.
  "UNAUTHORIZED",
] as const satisfies ReadonlyArray<ProblemCode>

/** The same file would be refused again, until the file, the choice, the user's rights or the app are changed. */
type Hopeless =
  // The app has refused this user, this file, or this choice of files.
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
  // It was checked, and is not wanted.
  | "REJECTED"
  // It could not be renewed any more: what is stored of it is given up.
  | "EXPIRED_URL"
  | "NOT_FOUND"
  // Somebody has to mend the app before anything arrives.
  | "INVALID_SIGNATURE"
  | "ROUTE_NOT_FOUND"
  | "METHOD_NOT_ALLOWED"
  | "MISSING_TOKEN"
  | "INVALID_TOKEN"
  | "INVALID_CONFIG"
  // No failures: the list offers what can be done about them.
  | "ABORTED"
  | "PAUSED"

/** Every code is in exactly one list: a new one does not compile until it is. */
type Undecided = Exclude<ProblemCode, Hopeless | (typeof helps)[number]>
type Contradicted = Extract<Hopeless, (typeof helps)[number]>

const codes: ReadonlySet<ProblemCode> = new Set<[Undecided, Contradicted] extends [never, never] ? ProblemCode : never>(
  helps,
)

/**
 * Whether *Try again* is useful next to a file that has failed with this code: whether the same file may arrive when
 * the user sends it once more. This includes more codes than those that are retried automatically.
 */
export const canRetry = (code: ProblemCode): boolean => codes.has(code)
