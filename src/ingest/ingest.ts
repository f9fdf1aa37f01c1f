import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Latch from "effect/Latch"
import { createFetchHandler } from "../http/fetch-handler.ts"
import { createLogContext, isLogged, toWrite } from "../http/logging.ts"
import type { LogFormat, LogLevel } from "../protocol/log-level.ts"
import { createApps, parseIngestToken } from "./apps.ts"
import type { BlobStore } from "./storage/blob-store.ts"
import type { Catalog } from "./storage/catalog.ts"
import { createChanges } from "./delivery/changes.ts"
import { allowOrigins } from "./cors.ts"
import { createDevStreams } from "./delivery/dev-streams.ts"
import { createDispatcher } from "./delivery/dispatcher.ts"
import { createFreeSpace } from "./storage/free-space.ts"
import { keepHouse } from "./housekeeping.ts"
import { createInFlight } from "./in-flight.ts"
import { createMetrics } from "./observe/metrics.ts"
import { createRateWatch } from "./upload/minimum-rate.ts"
import { observeCatalog, observeStore } from "./observe/observed-ports.ts"
import { createRequestObserver } from "./observe/observe-request.ts"
import { packageVersion } from "./observe/package-version.ts"
import { createReadinessCheck } from "./observe/readiness.ts"
import { createRouter } from "./router.ts"
import { stopping } from "./delivery/server-data.ts"
import { createMetricsEndpoint, type MetricsAccess } from "./observe/serve-metrics.ts"
import type { Service } from "./service.ts"
import { resolveSettings, type SettingsInit } from "./settings.ts"
import { createTracing, type TracingOptions } from "./observe/tracing.ts"
import { createUploadSlots } from "./upload/upload-slots.ts"
import { createWriters } from "./upload/writers.ts"

/** Options of {@link createIngest}: what it works with, and its settings. */
export interface IngestOptions extends SettingsInit {
  /** The token of the app whose files are taken. */
  readonly token: string
  /** Where the bytes go; the ingest's from now on. */
  readonly store: BlobStore
  /** Where all else goes; the ingest's from now on. */
  readonly catalog: Catalog
  readonly logLevel?: LogLevel | undefined
  readonly logFormat?: LogFormat | undefined
  /** Who may read `/metrics`; nobody (404) unless given. */
  readonly metrics?: MetricsAccess | undefined
  /** Records traces and sends them; off unless given. See `readTracingEnvironment`. */
  readonly tracing?: TracingOptions | undefined
}

/** The service that stores files and tells apps of them. */
export interface Ingest {
  /** Answers any request below the ingest's public URL. Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>
  /**
   * Prepares the end: refuses new requests, ends development streams and answers those who wait for their app, all at
   * once; then waits until uploads and callbacks under way have ended by themselves, at most `grace` ms.
   */
  readonly drain: (grace: number) => Promise<void>
  /**
   * Stops. Uploads under way are broken off and what has arrived is kept; callbacks under way are sent again later. At
   * last closes store and catalog.
   */
  readonly close: () => Promise<void>
}

/** How long those whose upload was broken off have to be told so before the catalog closes, ms. */
const answerTime = 1000

/**
 * Makes an ingest over a store and a catalog. It starts at once with what the catalog has pending.
 *
 * Fails:  throws `TypeError` on a token, URL or number that makes no sense, and on a token for the metrics that is too short.
 * Source: docs/protocol.md §6–§10.
 */
export const createIngest = (options: IngestOptions): Ingest => {
  const settings = resolveSettings(options)
  const token = parseIngestToken(options.token)
  const { logLevel: level = "Info", logFormat = "text" } = options
  const context = createLogContext(level, logFormat)
  const write = toWrite(context)
  const metrics = createMetrics()
  const store = observeStore(options.store, { metrics, write })
  const catalog = observeCatalog(options.catalog, { metrics, write })
  const now = Date.now
  const apps = createApps({ token, catalog, settings, now, write })
  const changes = createChanges()
  const devStreams = createDevStreams({ apps, catalog, settings, now })
  const metricsEndpoint = createMetricsEndpoint(options.metrics ?? "off", { metrics, catalog, devStreams })
  // From here on things run by themselves: nothing below may throw.
  const tracing = options.tracing === undefined ? undefined : createTracing(options.tracing, write)
  const dispatcher = createDispatcher({ apps, catalog, changes, settings, tracing }, context)
  const bell = Latch.makeUnsafe()
  const service: Service = {
    settings,
    apps,
    store,
    catalog,
    slots: createUploadSlots(settings.maxConcurrentUploads),
    writers: createWriters(),
    rates: createRateWatch(settings),
    space: createFreeSpace(store, settings.minimumFree),
    changes,
    dispatcher,
    devStreams,
    wakeHousekeeping: () => void Latch.openUnsafe(bell),
    // Of the ports as they are: what is asked here is no work of the service.
    checkReadiness: createReadinessCheck({ store: options.store, catalog: options.catalog, changes }),
    metricsEndpoint,
    now,
  }
  const house = Effect.runForkWith(context)(keepHouse(service, bell))
  const observe = createRequestObserver({ metrics, write, isDebugged: isLogged(level, "Debug"), tracing })
  const router = createRouter(service, observe)
  const handle = createFetchHandler(router.respond, context)
  const inFlight = createInFlight()
  let closing: Promise<void> | undefined

  const refuse = (): void => {
    changes.close()
    devStreams.close()
  }

  const drain = async (grace: number): Promise<void> => {
    const deadline = performance.now() + grace
    refuse()
    await inFlight.settle(grace)
    await dispatcher.drain(deadline - performance.now())
  }

  const close = async (): Promise<void> => {
    refuse()
    await Effect.runPromise(Fiber.interrupt(house))
    await service.writers.close(stopping())
    await inFlight.settle(answerTime)
    await dispatcher.close()
    metricsEndpoint?.close()
    await store.close()
    await catalog.close()
    await tracing?.close()
    write("Info", "The ingest has stopped.", [])
  }

  write("Info", "The ingest has started.", [
    { version: packageVersion, ...(settings.url !== undefined && { url: settings.url }) },
  ])
  return {
    fetch: (request) =>
      inFlight.run(async () => {
        if (tracing !== undefined) await tracing.ready
        const resource = router.find(request)
        const response = await handle(request, resource)
        return resource.isHiddenFromPages === true ? response : allowOrigins(response)
      }),
    drain,
    close: () => (closing ??= close()),
  }
}
