import { isIPv6 } from "node:net"

/** A host and its port, as they are written together: an address of IPv6 in brackets. */
export const joinHostPort = (host: string, port: number): string => `${isIPv6(host) ? `[${host}]` : host}:${port}`

/** Hosts at which `localhost` finds the server: the usual address of this machine, and all of them. */
const reachedAsLocalhost: ReadonlySet<string> = new Set(["localhost", "127.0.0.1", "0.0.0.0", "::", "0:0:0:0:0:0:0:0"])

/** The public URL of an ingest whose operator has given none: where it listens, as this machine reaches it. */
export const toLocalUrl = (host: string, port: number): string =>
  // The zone of a link-local address has no place in a URL.
  `http://${reachedAsLocalhost.has(host) || host.includes("%") ? `localhost:${port}` : joinHostPort(host, port)}`
