import type { Json } from "./json.ts"
import { isProblemCode, type ProblemCode, problemCodes, problemStatuses } from "./problem-code.ts"
import { UploadError } from "./upload-error.ts"

/** The party that was asked. */
export type Peer = "app" | "ingest" | "server"

/** What a status means without an explanation: the answer of a proxy or a platform. */
const toCode = (status: number): ProblemCode =>
  // These have a clear code: the first one in the table.
  /^(40[1345]|42[39]|507)$/.test(`${status}`)
    ? problemCodes.find((code) => problemStatuses[code] === status)!
    : status === 408
      ? "NETWORK_ERROR"
      : status >= 500
        ? "INTERNAL_ERROR"
        : "BAD_REQUEST"

/**
 * Reads an error answer of app or ingest. Anything else in a body, such as a proxy's page, is ignored.
 *
 * Fails: never; a body that is not a problem document gets the code that fits the status, and the message says what
 *        may be in between.
 *
 * @param at  who should have answered
 * @param url the address at which the app was asked
 */
export const parseProblem = (status: number, body: string, at: Peer = "server", url = ""): UploadError => {
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
  // Statuses of gateways, and Cloudflare's own.
  const isGateway = /^5(0[2-4]|[23])/.test(`${status}`)
  const isTooLarge = status === 413
  // The app explains every answer of its route handler, and accepts bodies of any size.
  const isMissing = at === "app" && (status === 404 || status === 405)
  return new UploadError({
    code:
      isTooLarge || isMissing ? "INVALID_CONFIG" : isGateway && at === "ingest" ? "INGEST_UNAVAILABLE" : toCode(status),
    status,
    message: `${isTooLarge || (isGateway && body) ? "A proxy in front of the" : "The"} ${at}${
      isTooLarge
        ? " refuses bodies of this size."
        : `${isGateway && !body ? ", or a proxy in front of it," : ""} answered ${status} without an explanation.`
    }${isMissing ? ` Is the route handler mounted at ${url}, and does it export GET and POST?` : ""}`,
  })
}
