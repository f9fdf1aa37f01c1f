import type { Outcome } from "../../protocol.ts"
import { accept, refuse } from "./setting-kinds.ts"

const example = "postgres://user:password@db.example/uploads"

/**
 * Reads the URL of a database in PostgreSQL. What it refuses says nothing of what it was given: it holds a password.
 *
 * A password with `/`, `?` or `#` that is not percent-encoded ends the host too early, so that a part of it would be shown as the
 * name of the server.
 */
export const parseDatabaseUrl = (value: string): Outcome<string> => {
  const url = URL.parse(value)
  if (url === null || !/^postgres(ql)?:$/.test(url.protocol)) {
    return refuse(`Expected a URL like ${example}, with special characters of the password percent-encoded.`)
  }
  if (/@/.test(url.pathname + url.search + url.hash)) {
    return refuse("Expected a URL whose user and password are percent-encoded: / is %2F, ? is %3F, # is %23, @ is %40.")
  }
  return accept(value)
}

/** What of the URL may be shown: host and database, `db.example/uploads`. */
export const nameDatabase = (value: string): string => {
  const { host, pathname, username, searchParams } = new URL(value)
  const at = searchParams.get("host") ?? (decodeURIComponent(host) || "localhost")
  const name = decodeURIComponent(pathname.slice(1)) || decodeURIComponent(username)
  return `${at}/${name}`
}
