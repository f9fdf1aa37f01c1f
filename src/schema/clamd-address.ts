import { accept, type Outcome, refuse } from "../protocol/errors/outcome.ts"

/** Where a clamd listens: a socket of its machine, or a port. */
export type ClamdAddress = { readonly path: string } | { readonly host: string; readonly port: number }

/** Reads `unix:/path/to/socket` or `tcp://host:port`. Fails: as a value, INVALID_CONFIG. */
export const parseClamdAddress = (text: string): Outcome<ClamdAddress> => {
  const [, path] = /^unix:(\/[^\0]+)$/.exec(text) ?? []
  if (path !== undefined) return accept({ path })
  const [, name, ipv6, port = ""] = /^tcp:\/\/(?:([\w.-]+)|\[([\da-fA-F:.]+)\]):(\d{1,5})$/.exec(text) ?? []
  const host = name ?? ipv6
  if (host !== undefined && Number(port) >= 1 && Number(port) <= 65_535) return accept({ host, port: Number(port) })
  return refuse("INVALID_CONFIG", "Expected unix:/var/run/clamav/clamd.ctl or tcp://127.0.0.1:3310.")
}
