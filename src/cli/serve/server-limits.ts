import type { Server, ServerOptions } from "node:http"

const second = 1000

/** How much of the server one client, or many, may use. Times in ms, sizes in bytes. */
export interface ServerLimits {
  /** From the first byte of a request to the end of its headers; then 408. */
  readonly headersTimeout: number
  /** Connections without any traffic in either direction for this long are closed. */
  readonly idleTimeout: number
  /** How long a connection is kept for the next request. */
  readonly keepAliveTimeout: number
  /** Size of all headers of a request; 431 beyond it. */
  readonly maxHeaderSize: number
  /** How much Node buffers of a body that is not read, not counting what its chunks cost in addition to their bytes. */
  readonly highWaterMark: number
  /** Connections open at once; further ones are closed as soon as they are accepted. */
  readonly maxConnections: number
  /** How long running requests get to end by themselves when the server stops. */
  readonly grace: number
}

/**
 * The limits of `sluice ingest`. How long an upload may take is not limited here: the ingest's minimum rate ends those
 * that make no progress.
 */
export const serverLimits: ServerLimits = {
  headersTimeout: 15 * second,
  // Longer than any wait for an app's answer through the usual proxies.
  idleTimeout: 5 * 60 * second,
  // Longer than the usual proxies keep theirs, 60 s.
  keepAliveTimeout: 75 * second,
  // A signed URL with the longest names, percent-encoded, takes 6 KB.
  maxHeaderSize: 16 * 1024,
  // This has no effect where a body is read or an answer written: both wait in another way.
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
  // Node checks every 30 s by default.
  connectionsCheckingInterval: Math.min(second, headersTimeout),
})

/** Limits that Node only accepts on an existing server. */
export const applyLimits = (server: Server, { idleTimeout, maxConnections }: ServerLimits): void => {
  server.timeout = idleTimeout
  server.maxConnections = maxConnections
}
