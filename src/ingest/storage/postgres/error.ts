import { CatalogError } from "../catalog/catalog.ts"

type Reason = readonly [reason: CatalogError["reason"], advice: string]

/** SQLSTATEs, or the classes of them, that mean that the server or its settings are at fault, not the statement. */
const reasons: Readonly<Record<string, Reason>> = {
  "53100": ["full", "Free space on the disk of the database server."],
  "53": [
    "busy",
    "The database server has no connection, memory or lock left: see its limits and the size of the pool.",
  ],
  "40": ["busy", "Other transactions were in the way again and again: the same call may succeed later."],
  "55": ["busy", "Somebody else holds what is needed: the same call may succeed later."],
  "57014": ["busy", "The statement was cancelled: see statement_timeout."],
  "57": ["io", "The database server is starting, stopping or was told to end the connection."],
  "08": ["io", "Check that the database server runs and can be reached."],
  "28": ["io", "Check user and password of the database."],
  "3D": ["io", "Check the name of the database."],
  "3F": ["io", "Its schema is missing: it was dropped, or another database is meant."],
  "42P01": ["io", "A table is missing: it was dropped, or another database is meant."],
  "42883": ["io", "A function is missing: it was dropped, or another database is meant."],
  "42501": ["io", "Give the user of the database the rights that docs/postgres.md names."],
  "25P03": ["io", "It ended a transaction that waited for this process: see why this one stood still."],
  "25006": ["io", "It is read-only: a standby, or default_transaction_read_only is set."],
  "58": ["io", "Check the disk and the log of the database server."],
  XX: ["io", "Check the log of the database server."],
}

/** An error's SQLSTATE; undefined where it does not come from the server. */
export const stateOf = (cause: unknown): string | undefined => {
  const { code } = (cause ?? {}) as { readonly code?: unknown }
  return typeof code === "string" && /^[0-9A-Z]{5}$/.test(code) && !/^E[A-Z]{4}$/.test(code) ? code : undefined
}

/** Whether the connection is gone, or could not be had: nothing that was not committed has happened. */
export const isLost = (cause: unknown): boolean => {
  const state = stateOf(cause)
  return state === undefined || /^(08|57P|25P03)/.test(state)
}

/** Whether the same transaction may succeed at once: a deadlock, or one that could not be put in order. */
export const isInTheWay = (cause: unknown): boolean => /^40(P01|001)$/.test(stateOf(cause) ?? "")

/**
 * Turns what a pool or a connection rejected with into a {@link CatalogError} where the server is at fault; returns
 * anything else unchanged. What it says never has the URL of the database in it.
 */
export const toCatalogError = (cause: unknown): unknown => {
  if (CatalogError.is(cause)) return cause
  const state = stateOf(cause)
  if (state === undefined) {
    const { code } = (cause ?? {}) as { readonly code?: unknown }
    const name = typeof code === "string" ? code : "no connection"
    return new CatalogError("io", `The catalog could not be used (${name}). ${reasons["08"]![1]}`, cause)
  }
  const known = reasons[state] ?? reasons[state.slice(0, 2)]
  if (known === undefined) return cause
  const [reason, advice] = known
  return new CatalogError(reason, `The catalog could not be used (SQLSTATE ${state}). ${advice}`, cause)
}
