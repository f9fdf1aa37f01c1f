import type { Json } from "./json.ts"
import { isProblemCode, type ProblemCode, problemCodes, problemStatuses } from "./problem-code.ts"
import { UploadError } from "./upload-error.ts"

/**
 * What a status means where nobody explained it: a proxy's or a platform's own answer. The codes that stand first
 * in the table for their status are those.
 */
const toCode = (status: number): ProblemCode => {
  const isTelling = [401, 403, 404, 405, 413, 423, 429, 507].includes(status)
  if (isTelling) return problemCodes.find((code) => problemStatuses[code] === status)!
  return status === 408 ? "NETWORK_ERROR" : status >= 500 ? "INTERNAL_ERROR" : "BAD_REQUEST"
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
    const { code, detail, data } = problem
    return new UploadError({ code, message: typeof detail === "string" ? detail : code, status, data })
  }
  return new UploadError({
    code: toCode(status),
    status,
    message: `The server answered ${status} without an explanation.`,
  })
}
