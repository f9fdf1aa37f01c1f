import { limits } from "../../protocol.ts"
import { failed, type Finding, ok, warning } from "./finding.ts"
import { formatSpan } from "../terminal/moment.ts"

/** ms until the answer's headers must be there. */
const timeout = 5000

/** ms that two clocks may differ before somebody should know: a date of HTTP is exact to the second. */
const tolerance = 30_000

/** An answer, and what the clock of this machine said in the middle of the question. */
export interface Probed {
  readonly response: Response
  readonly at: number
}

/** Asks a server; does not follow redirects. Fails: rejects with an `Error` whose message is for people. */
export const probe = async (url: string, method: "GET" | "HEAD"): Promise<Probed> => {
  const start = Date.now()
  try {
    const response = await fetch(url, { method, redirect: "manual", signal: AbortSignal.timeout(timeout) })
    return { response, at: (start + Date.now()) / 2 }
  } catch (error) {
    const { name, message, cause } = error as Error
    if (name === "TimeoutError") throw new Error(`no answer within ${formatSpan(timeout)}`, { cause: error })
    const { code, message: reason } = (cause ?? {}) as { code?: string; message?: string }
    throw new Error(code === "ECONNREFUSED" ? "nobody listens there" : reason || code || message, { cause: error })
  }
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
