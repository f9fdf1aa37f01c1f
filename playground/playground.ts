import { once } from "node:events"
import { createServer } from "node:http"
import { createServer as createSocketServer } from "node:net"
import { join } from "node:path"
import { toNodeListener } from "../adapters/node.ts"
import { createApp } from "./app.ts"
import { type IngestProcess, startIngestProcess } from "./ingest-process.ts"
import { listen } from "./listen.ts"
import type { ServerLog } from "./server-log.ts"

/** App and ingest, running. */
export interface Playground {
  /** The app's address. */
  readonly url: string
  readonly ingest: IngestProcess
  /** Closes every socket. */
  readonly stop: () => ReturnType<IngestProcess["stop"]>
}

/** Where and how the playground runs. Port 0, and a port that is taken, means a free one. */
export interface PlaygroundOptions {
  readonly appPort: number
  readonly ingestPort: number
  readonly log: ServerLog
  readonly logLevel: "Info" | "Warning"
  readonly onAnswer?: (action: string, status: number) => void
}

/** Ignored by git. */
const dataFolder = process.env["PLAYGROUND_DATA"] ?? join(import.meta.dirname, "../.sluice")

const findPort = async (wanted: number): Promise<number> => {
  const probe = createSocketServer()
  const port = await listen(probe, wanted)
  probe.close()
  await once(probe, "close")
  return port
}

/** Starts the ingest in its own process, then the app in this one. */
export const startPlayground = async (options: PlaygroundOptions): Promise<Playground> => {
  const { appPort, ingestPort, log, logLevel, onAnswer } = options
  const ingest = await startIngestProcess({
    folder: dataFolder,
    port: await findPort(ingestPort),
    logLevel,
    onLog: (level, text) => log.record("ingest", level, text),
  })
  const app = Promise.withResolvers<Awaited<ReturnType<typeof createApp>>>()
  const server = createServer(toNodeListener(async (request) => (await app.promise)(request)))
  const url = `http://localhost:${await listen(server, appPort)}`
  app.resolve(createApp({ token: ingest.token, ingestUrl: ingest.url, url, log, ...(onAnswer && { onAnswer }) }))
  await app.promise
  return {
    url,
    ingest,
    stop: async () => {
      // The ingest first: what it still calls back finds the app.
      const stopped = await ingest.stop()
      log.close()
      const closed = once(server, "close")
      server.close()
      server.closeAllConnections()
      await closed
      return stopped
    },
  }
}
