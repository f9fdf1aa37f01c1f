import { type Json, limits } from "../../protocol.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"
import { formatSpan } from "../terminal/moment.ts"
import { explainUnreachable, type Unreachable } from "./unreachable.ts"

/** ms until the answer's headers must have arrived. */
const timeout = 5000

/** How much two clocks may differ before a warning, ms: a date of HTTP is exact to the second. */
const tolerance = 30_000

/** An answer, and this machine's time in the middle of the request. */
export interface Probed {
  readonly response: Response
  readonly at: number
}

/** A server that could not be asked. */
export class ProbeFailure extends Error {
  override readonly name = "ProbeFailure"
  /** What to do, where more is known than that nothing answers. */
  readonly advice: string | undefined

  constructor({ reason, advice }: Unreachable, cause: unknown) {
    super(reason, { cause })
    this.advice = advice
  }
}

/** What to do about a server that could not be asked. */
export const adviceOf = (error: unknown, otherwise: string): string =>
  (error instanceof ProbeFailure ? error.advice : undefined) ?? otherwise

/**
 * Sends a request to a server, with JSON if it is a POST; does not follow redirects.
 *
 * Fails: rejects with a {@link ProbeFailure} whose message is for users.
 */
export const probe = (url: string, method: "GET" | "HEAD" | "POST", json?: Json): Promise<Probed> =>
  send(url, {
    method,
    ...(json !== undefined && { body: JSON.stringify(json), headers: { "content-type": "application/json" } }),
  })

const send = async (url: string, init: RequestInit): Promise<Probed> => {
  const start = Date.now()
  try {
    const response = await fetch(url, {
      ...init,
      redirect: "manual",
      signal: AbortSignal.timeout(timeout),
    })
    return { response, at: (start + Date.now()) / 2 }
  } catch (error) {
    if ((error as Error).name === "TimeoutError") {
      throw new ProbeFailure({ reason: `no answer within ${formatSpan(timeout)}` }, error)
    }
    throw new ProbeFailure(explainUnreachable(url, error as Error), error)
  }
}

/** Sends JSON text. Fails: as {@link probe} does. */
export const postTo = async (
  url: string,
  body: string,
  headers: Readonly<Record<string, string>>,
): Promise<Response> => {
  const init = { method: "POST", body, headers: { "content-type": "application/json", ...headers } }
  return (await send(url, init)).response
}

/** A status and, for a redirect, where it leads. */
export const describeAnswer = ({ status, headers }: Response): string => {
  const location = headers.get("location")
  return location === null ? String(status) : `${status} (a redirect to ${location})`
}

/** Compares the clock of a server with that of this machine; undefined when its answer has no date. */
export const checkClock = ({ response, at }: Probed, server: string): Finding | undefined => {
  const date = Date.parse(response.headers.get("date") ?? "")
  if (Number.isNaN(date)) return undefined
  const difference = Math.abs(date - at)
  if (difference < tolerance) return ok("Clock", `agrees with that of ${server}`)
  const message = `differs by ${formatSpan(difference)} from that of ${server}`
  const advice = "Set both clocks by NTP: signed URLs expire, and callbacks are refused when they seem old."
  return difference < limits.callbackTolerance ? warning("Clock", message, advice) : failed("Clock", message, advice)
}
