import type { Json } from "../json.ts"
import { problemDetail } from "../limits.ts"
import { isProblemCode, type ProblemCode, problemCodes, problemStatuses } from "./problem-code.ts"
import { UploadError } from "./upload-error.ts"

/** The party that was asked. */
export type Peer = "app" | "ingest" | "server"

/** The `cause` of an error whose answer is not Sluice's: that of a proxy, a login, a body parser. */
export interface ForeignAnswer {
  readonly at: Peer
  /** What it said, where that was JSON. Nothing is kept of a page. */
  readonly said?: unknown
  /** The address that was asked, without its query. */
  readonly url?: string | undefined
  /** The address that answered, if it is another one. */
  readonly redirect?: string | false | undefined
}

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
 * Reads an error answer of app or ingest. Anything else in a body is somebody else's word: it is kept as the `cause`, a
 * {@link ForeignAnswer}, and no part of the message.
 *
 * Fails: never; a body that is not a problem document gets the code that fits the status, and the message says who may
 *        have answered.
 *
 * @param at  who should have answered
 * @param url the address at which the app was asked
 */
export const parseProblem = (status: number, body: string, at: Peer = "server", url = ""): UploadError => {
  let said: { code?: unknown; detail?: unknown; data?: Json } | null = null
  try {
    said = JSON.parse(body)
  } catch {
    // not ours: a proxy's page, say
  }
  if (isProblemCode(said?.code)) {
    const { code, detail, data } = said
    return new UploadError({
      code,
      message: typeof detail === "string" ? detail.slice(0, problemDetail) : code,
      status,
      data,
    })
  }
  // The app explains every answer of its route handler, and accepts bodies of any size.
  const isMissing = at === "app" && (status === 404 || status === 405)
  return new UploadError({
    code:
      status === 413 || isMissing
        ? "INVALID_CONFIG"
        : // Statuses of gateways, and Cloudflare's own.
          at === "ingest" && /^5(0[2-4]|[23])/.test(`${status}`)
          ? "INGEST_UNAVAILABLE"
          : toCode(status),
    status,
    message: `The ${at}, or a proxy in front of it, answered ${status}${said ? "" : " without an explanation"}.${isMissing ? ` Is the route handler mounted at ${url}, and does it export GET and POST?` : ""}`,
    cause: { at, said } satisfies ForeignAnswer,
  })
}
