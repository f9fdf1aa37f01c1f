import { once } from "node:events"
import { createServer } from "node:http"
import { createServer as createSocketServer } from "node:net"
import { join } from "node:path"
import { toNodeListener } from "../adapters/node.ts"
import { envName, names } from "../src/protocol.ts"
import { createApp } from "./app.ts"
import { cleanEnvironment } from "./clean-environment.ts"
import { startFrameworkProcess } from "./framework-process.ts"
import type { FrameworkName } from "./frameworks.ts"
import { type IngestProcess, startIngestProcess } from "./ingest-process.ts"
import { listen } from "./listen.ts"
import type { ServerLog } from "./server-log.ts"

/** App and ingest, running. */
export interface Playground {
  /** The app's address. */
  readonly url: string
  readonly ingest: IngestProcess
  /** Resolves when a process of it is gone, with its exit code; 0 after a clean stop, null when a signal ended it. */
  readonly ended: Promise<number | null>
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

/** Which framework's application, and how. */
export interface FrameworkChoice {
  readonly framework: FrameworkName
  /** Built and served, instead of its development server. */
  readonly isProduction: boolean
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

const startIngest = async ({ ingestPort, log, logLevel }: PlaygroundOptions): Promise<IngestProcess> =>
  startIngestProcess({
    folder: dataFolder,
    port: await findPort(ingestPort),
    logLevel,
    onLog: (level, text) => log.record("ingest", level, text),
  })

/** Starts the ingest in its own process, then the app in this one. */
export const startPlayground = async (options: PlaygroundOptions): Promise<Playground> => {
  const { appPort, log, onAnswer } = options
  const ingest = await startIngest(options)
  const app = Promise.withResolvers<Awaited<ReturnType<typeof createApp>>>()
  const server = createServer(toNodeListener(async (request) => (await app.promise)(request)))
  const url = `http://localhost:${await listen(server, appPort)}`
  app.resolve(createApp({ token: ingest.token, ingestUrl: ingest.url, url, log, ...(onAnswer && { onAnswer }) }))
  await app.promise
  return {
    url,
    ingest,
    ended: ingest.exited,
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

/** Starts the ingest, then the application of a framework, with what it needs in its environment. */
export const startFramework = async (
  options: PlaygroundOptions,
  { framework, isProduction }: FrameworkChoice,
): Promise<Playground> => {
  const { appPort, log } = options
  const ingest = await startIngest(options)
  const port = await findPort(appPort)
  const origin = `http://localhost:${port}`
  // `next dev` and `next build` want it as they set it themselves.
  const { NODE_ENV: _, ...inherited } = cleanEnvironment()
  try {
    const app = await startFrameworkProcess({
      framework,
      isProduction,
      port,
      env: {
        ...inherited,
        ...(isProduction && { NODE_ENV: "production" }),
        NEXT_TELEMETRY_DISABLED: "1",
        HOST: "127.0.0.1",
        PORT: String(port),
        ORIGIN: origin,
        PLAYGROUND_DATA: ingest.dataFolder,
        [envName("token")]: ingest.token,
        [envName("ingestUrl")]: ingest.url,
        [envName("callbackUrl")]: origin + names.adapterPath,
      },
      onLog: (level, text) => log.record("app", level, text),
    })
    return {
      url: app.url,
      ingest,
      ended: Promise.race([ingest.exited, app.exited]),
      stop: async () => {
        const stopped = await ingest.stop()
        await app.stop()
        log.close()
        return stopped
      },
    }
  } catch (error) {
    await ingest.stop()
    throw error
  }
}
