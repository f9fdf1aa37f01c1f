import type * as Effect from "effect/Effect"
import { logDebug, logError, type Write } from "../../server-kit/logging.ts"
import { BlobStoreError } from "../storage/blob-store.ts"
import { CatalogError } from "../storage/catalog/catalog.ts"

/** How long nothing may fail until a port counts as working again, ms: at first, and where it fails again and again. */
const quiet = { shortest: 10_000, longest: 600_000 }

/** Whether an error says that what a port keeps its data on is away or full. It is logged where the port is wrapped, once. */
export const isOutage = (cause: unknown): boolean =>
  (CatalogError.is(cause) || BlobStoreError.is(cause)) && (cause.reason === "io" || cause.reason === "full")

/** Codes of connections that are not made or broke off, and SQLSTATEs of a server that starts, stops or ends them. */
const isAway = /^(ECONN|EPIPE|ETIMEDOUT|EHOST|ENET|ENOTFOUND|EAI_|UND_ERR|08|57)/

/** What tells one reason of an outage from another: messages name the file that failed. */
const reasonOf = (cause: unknown): string => {
  const { reason, cause: below } = cause as CatalogError | BlobStoreError
  const { code } = (below ?? {}) as { readonly code?: unknown }
  return `${reason} ${typeof code === "string" && !isAway.test(code) ? code : ""}`
}

/** The severity of an entry about an error: that a port is away is logged once for all who need it. */
export const severityOf = (cause: unknown): "Debug" | "Error" => (isOutage(cause) ? "Debug" : "Error")

/** Logs an error of something that is tried again, at {@link severityOf}. */
export const logFailure = (message: string, cause: unknown, facts = {}): Effect.Effect<void> =>
  (severityOf(cause) === "Debug" ? logDebug : logError)(message, facts, cause)

/** Further reasons of one outage that are logged. */
const mostReasons = 10

/** Notices when a port begins to fail and when it works again. */
export interface OutageWatch {
  readonly failed: (operation: string, cause: unknown) => void
  readonly succeeded: () => void
  /** The port is closed: that it fails from now on says nothing. */
  readonly end: () => void
}

/**
 * Logs one entry when a port begins to fail and one when it works again, however many operations fail in between; and one for
 * each other reason that comes meanwhile, as a database that was away may be read-only when it is back.
 *
 * A part of a port may fail while the rest works (a disk that is full can be read), so it works again when nothing has failed
 * for a while: the longer, the more often this happens.
 *
 * @param subject how the entries begin: `The catalog`
 * @param now ms, of a clock that only goes forward
 */
export const createOutageWatch = (subject: string, write: Write, now = () => performance.now()): OutageWatch => {
  let current: { readonly since: number; readonly reasons: Set<string>; last: number; count: number } | undefined
  let endedAt = -Infinity
  let pause = quiet.shortest
  let isEnded = false
  return {
    failed: (operation, cause) => {
      if (isEnded || !isOutage(cause)) return
      const at = now()
      const reason = reasonOf(cause)
      if (current !== undefined) {
        current.last = at
        current.count++
        if (current.reasons.has(reason) || current.reasons.size > mostReasons) return
        current.reasons.add(reason)
        write("Error", `${subject} still fails, for another reason.`, [{ operation }, cause])
        return
      }
      pause = at - endedAt < quiet.longest ? Math.min(pause * 2, quiet.longest) : quiet.shortest
      current = { since: at, reasons: new Set([reason]), last: at, count: 1 }
      write("Error", `${subject} fails: requests that need it are answered 503, everything else is tried again.`, [
        { operation },
        cause,
      ])
    },
    succeeded: () => {
      if (current === undefined) return
      const at = now()
      if (at - current.last < pause) return
      const seconds = Math.round((current.last - current.since) / 100) / 10
      write("Info", `${subject} works again.`, [{ seconds, failed: current.count }])
      current = undefined
      endedAt = at
    },
    end: () => {
      isEnded = true
      current = undefined
    },
  }
}
