import { CatalogError } from "../../ingest.ts"
import { CommandFailure } from "../command-failure.ts"
import type { DatabaseChoice } from "./deployment.ts"

/** The page with the rights that are needed. */
const page = "node_modules/sluice/docs/postgres.md"

/** Codes of a connection that was never there. */
const unreachable = /^(ECONN\w+|ENOTFOUND|EAI_\w+|ETIMEDOUT|EHOST\w+|ENET\w+|EPIPE|ENOENT|EACCES)$/

/** Codes of a certificate that is not trusted. */
const untrusted = /CERT|SELF_SIGNED|UNABLE_TO_/

const codeOf = (error: unknown): string => {
  const { code, errors } = (error ?? {}) as { readonly code?: unknown; readonly errors?: ReadonlyArray<unknown> }
  if (typeof code === "string") return code
  // Of several addresses of one name.
  return Array.isArray(errors) && errors.length > 0 ? codeOf(errors[0]) : ""
}

/** What `pg` or the server has said, below what a catalog makes of it. */
const causeOf = (error: unknown): unknown =>
  CatalogError.is(error) && error.cause !== undefined ? causeOf(error.cause) : error

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))

/** Whether a server may be there a moment later: it starts, or nobody answers. */
export const isNotThereYet = (error: unknown): boolean => {
  const cause = causeOf(error)
  const code = codeOf(cause)
  if (code === "") return /timeout|terminated|closed/i.test(messageOf(cause))
  return (unreachable.test(code) && code !== "EACCES") || /^(08|57P|53300)/.test(code)
}

/** What to do about a server that does not answer. */
export const adviseOnAbsence = ({ source }: DatabaseChoice): string =>
  `Look whether its server runs and can be reached from here, and at the host and the port of ${source}.`

const adviseOn = (code: string, said: string, choice: DatabaseChoice): string => {
  const { place, schema, source } = choice
  if (unreachable.test(code) || (code === "" && /timeout|terminated|closed/i.test(said))) {
    return adviseOnAbsence(choice)
  }
  if (untrusted.test(code)) {
    return `Its certificate is not trusted: say whose it is with ?sslrootcert=<file> in ${source}.`
  }
  // pg throws it where it has none to send.
  if (/password must be a/.test(said)) return `The server wants a password, and ${source} has none.`
  if (/SSL/.test(said)) return `Look at sslmode in ${source}.`
  if (code.startsWith("28")) return `Look at the user and the password of ${source}.`
  if (code === "3D000") return `Make the database, or correct its name in ${source}.`
  if (code === "42501") return `Give its user the rights on the schema ${schema} that ${page} lists.`
  if (code === "25006") return `It is a standby, or read-only: name the primary in ${source}.`
  if (code === "53300") return "Allow the server more connections (max_connections), or run fewer ingests."
  if (/newer than this package/.test(said)) return "Use the version of sluice that wrote it, or a newer one."
  return `See ${page}, and the log of the server of ${place}.`
}

/** Why a database cannot be used, and what to do: a sentence each, which say nothing of its password. */
export const explainDatabase = (
  error: unknown,
  choice: DatabaseChoice,
): { readonly reason: string; readonly advice: string } => {
  const cause = causeOf(error)
  const code = codeOf(cause)
  const message = messageOf(cause).replace(/\.$/, "")
  const said = message === "" ? code : code === "" || message.includes(code) ? message : `${message} (${code})`
  return { reason: `PostgreSQL at ${choice.place}: ${said}.`, advice: adviseOn(code, message, choice) }
}

/** Whether an error is the database's, and not a mistake of ours. */
const isOfDatabase = (error: unknown): boolean => CatalogError.is(error) || codeOf(error) !== "" || isNotThereYet(error)

/** Turns what a database has failed with into one line for the user; returns anything else as it is. */
export const toDatabaseFailure = (error: unknown, choice: DatabaseChoice, what: string): unknown => {
  if (error instanceof CommandFailure || !isOfDatabase(error)) return error
  const { reason, advice } = explainDatabase(error, choice)
  return new CommandFailure(`${what} ${reason} ${advice}`)
}
