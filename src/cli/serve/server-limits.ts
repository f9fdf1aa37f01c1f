import type { Server, ServerOptions } from "node:http"

const second = 1000

/** What one client, or many, may take of the server. Times in ms, sizes in bytes. */
export interface ServerLimits {
  /** From the first byte of a request to the end of its headers; then 408. */
  readonly headersTimeout: number
  /** Connections on which nothing moves in either direction are closed. */
  readonly idleTimeout: number
  /** How long a connection is kept for the next request. */
  readonly keepAliveTimeout: number
  /** All headers of a request; beyond it 431. */
  readonly maxHeaderSize: number
  /** What Node buffers of a body that nobody reads, counted without what its chunks cost beside their bytes. */
  readonly highWaterMark: number
  /** Connections open at once; further ones are closed as soon as they are accepted. */
  readonly maxConnections: number
  /** How long running requests get to end by themselves when the server stops. */
  readonly grace: number
}

/**
 * The limits of `sluice ingest`. How long an upload may take is not limited here: the ingest's minimum rate sees to
 * those that do not get on.
 */
export const serverLimits: ServerLimits = {
  headersTimeout: 15 * second,
  // Longer than any wait for an app's answer behind the usual proxies.
  idleTimeout: 5 * 60 * second,
  // Longer than the usual proxies keep theirs, 60 s.
  keepAliveTimeout: 75 * second,
  // A signed URL with the longest names, percent-encoded, takes 6 KB.
  maxHeaderSize: 16 * 1024,
  // Where a body is read or an answer written it changes nothing: both are waited for in another way.
  highWaterMark: 4 * 1024,
  maxConnections: 20_000,
  grace: 5 * second,
}

export const toServerOptions = ({
  headersTimeout,
  keepAliveTimeout,
  maxHeaderSize,
  highWaterMark,
}: ServerLimits): ServerOptions => ({
  highWaterMark,
  headersTimeout,
  keepAliveTimeout,
  maxHeaderSize,
  requestTimeout: 0,
  // Node looks every 30 s unless told otherwise.
  connectionsCheckingInterval: Math.min(second, headersTimeout),
})

/** What Node takes only once the server is there. */
export const applyLimits = (server: Server, { idleTimeout, maxConnections }: ServerLimits): void => {
  server.timeout = idleTimeout
  server.maxConnections = maxConnections
}
