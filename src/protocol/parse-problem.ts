import type { Json } from "./json.ts"
import { isProblemCode, type ProblemCode, problems } from "./problem.ts"
import { UploadError } from "./upload-error.ts"

/** What a status means where nobody explained it: a proxy's or a platform's own answer. */
const codes: Readonly<Record<number, ProblemCode>> = {
  401: "UNAUTHORIZED",
  403: "FORBIDDEN",
  404: "NOT_FOUND",
  405: "METHOD_NOT_ALLOWED",
  408: "NETWORK_ERROR",
  413: "FILE_TOO_LARGE",
  423: "LOCKED",
  429: "RATE_LIMITED",
  507: "QUOTA_EXCEEDED",
}

/**
 * Reads an error answer of app or ingest.
 *
 * Fails: never; a body that is no problem document becomes the code that fits the status.
 */
export const parseProblem = (status: number, body: string): UploadError => {
  let problem: { code?: unknown; detail?: unknown; data?: Json } | null = null
  try {
    problem = JSON.parse(body)
  } catch {
    // not ours: a proxy's page, say
  }
  if (isProblemCode(problem?.code)) {
    const message = typeof problem.detail === "string" ? problem.detail : problems[problem.code].title
    return new UploadError({ code: problem.code, message, status, data: problem.data })
  }
  return new UploadError({
    code: codes[status] ?? (status >= 500 ? "INTERNAL_ERROR" : "BAD_REQUEST"),
    status,
    message: `The server answered ${status} without an explanation.`,
  })
}
