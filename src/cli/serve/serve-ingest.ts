import { once } from "node:events"
import { createServer, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { setTimeout as sleep } from "node:timers/promises"
import { deferContinue, toNodeListener } from "../../../adapters/node.ts"
import { createIngest, type Ingest, type IngestOptions, readTracingEnvironment } from "../../ingest.ts"
import { CommandFailure, describeSystemError, isSystemError } from "../command-failure.ts"
import { printNotice } from "../terminal/print-notice.ts"
import { type LogFormat, problemMediaType, toProblemDocument } from "../../protocol.ts"
import { applyLimits, serverLimits, toServerOptions } from "./server-limits.ts"

/** How long answers may still be sent after the grace period, ms. */
const answerTime = 2_000

/** How long the ingest may take to close its catalog and its store, ms. */
const closeTime = 30_000

/** Closes an ingest, and does not wait for ever: a store may be foreign code. */
const closeInTime = async ({ ingest, logFormat }: RunningIngest): Promise<void> => {
  const inTime = new AbortController()
  const late = sleep(closeTime, undefined, { signal: inTime.signal }).then(
    () =>
      printNotice(
        "warning",
        `The store or the catalog did not close within ${closeTime / 1000} s. The ingest ends all the same.`,
        logFormat,
      ),
    () => {},
  )
  try {
    await Promise.race([ingest?.close(), late])
  } finally {
    inTime.abort()
  }
}

/** What there is of an ingest; nothing until its server is opened. */
interface RunningIngest {
  ingest?: Ingest
  logFormat?: LogFormat | undefined
}

/** A listening socket whose requests wait for the ingest, because the ingest's URL is known only once the port is. */
export interface IngestServer {
  readonly port: number
  /** Starts to answer. Fails: throws a {@link CommandFailure} when an option is invalid. */
  open(options: Omit<IngestOptions, "tracing">): void
  /**
   * Lets requests and callbacks in progress end within the grace period, stops listening, then closes sockets, ingest
   * and files.
   */
  close(): Promise<void>
}

/** Answers a request that expects something other than `100-continue`, which Node would answer without a body. */
const refuseExpectation = (_: unknown, res: ServerResponse): void => {
  const document = toProblemDocument("BAD_REQUEST", "The header expect may only be 100-continue.", { status: 417 })
  res.writeHead(417, {
    "content-type": problemMediaType,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    connection: "close",
  })
  res.end(JSON.stringify(document))
}

/** Another program listens on the port. */
export class PortInUse extends CommandFailure {}

/** Runs code that throws a `TypeError` on an invalid configuration, and turns that into a message for users. */
const configure = <A>(make: () => A): A => {
  try {
    return make()
  } catch (error) {
    throw error instanceof TypeError ? new CommandFailure(error.message) : error
  }
}

/**
 * Listens; port 0 takes any free one.
 *
 * Fails: with a {@link CommandFailure} when the address is taken or not ours.
 */
export const listenForIngest = async (host: string, port: number, limits = serverLimits): Promise<IngestServer> => {
  const ingest = Promise.withResolvers<Ingest>()
  const running: RunningIngest = {}
  const listener = toNodeListener({ respond: async (request) => (await ingest.promise).fetch.respond(request) })
  const server = createServer(toServerOptions(limits), listener)
  server.on("checkContinue", deferContinue(listener))
  server.on("checkExpectation", refuseExpectation)
  applyLimits(server, limits)
  server.listen(port, host)
  try {
    await once(server, "listening")
  } catch (error) {
    throw isSystemError(error, "EADDRINUSE")
      ? new PortInUse(`Port ${port} on ${host} is in use. Stop what uses it or choose another with --port.`)
      : new CommandFailure(`Cannot listen on port ${port} of ${host}: ${describeSystemError(error)}.`)
  }
  return {
    port: (server.address() as AddressInfo).port,
    open(options) {
      const tracing = configure(() => readTracingEnvironment(process.env))
      running.logFormat = options.logFormat
      running.ingest = configure(() => createIngest({ ...options, tracing }))
      ingest.resolve(running.ingest)
    },
    async close() {
      const closed = once(server, "close")
      // It is awaited last; until then a failure must not count as unhandled.
      closed.catch(() => {})
      const end = setTimeout(
        () => server.closeAllConnections(),
        running.ingest === undefined ? 0 : limits.grace + answerTime,
      )
      // Each step runs even when the previous one fails: the next ingest has to get the folder.
      try {
        // Still listening, because apps post the results of callbacks that they are working on.
        await running.ingest?.drain(limits.grace)
      } finally {
        server.close()
        // Node would keep a connection whose last answer has been sent as long as any connection is open.
        const idle = setInterval(() => server.closeIdleConnections(), 50)
        try {
          await closeInTime(running)
        } finally {
          await closed.finally(() => {
            clearInterval(idle)
            clearTimeout(end)
          })
        }
      }
    },
  }
}
