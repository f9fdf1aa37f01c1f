import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { createFetchHandler } from "../http/fetch-handler.ts"
import { createLogContext, isLogged, toWrite } from "../http/logging.ts"
import { limits } from "../protocol/limits.ts"
import type { LogFormat, LogLevel } from "../protocol/log-level.ts"
import type { Acl } from "../protocol/signed-url.ts"
import { createApps, parseIngestToken } from "./app.ts"
import type { BlobStore } from "./blob-store.ts"
import type { Catalog } from "./catalog.ts"
import { createChanges } from "./changes.ts"
import { allowOrigins } from "./cors.ts"
import { createDevStreams } from "./dev-streams.ts"
import { createDispatcher } from "./dispatcher.ts"
import { keepHouse } from "./housekeeping.ts"
import { createMetrics } from "./metrics.ts"
import { observeCatalog, observeStore } from "./observed-ports.ts"
import { createRequestObserver } from "./observe-request.ts"
import { packageVersion } from "./package-version.ts"
import { createReadinessCheck } from "./readiness.ts"
import { createRouter } from "./router.ts"
import { createMetricsEndpoint, type MetricsAccess } from "./serve-metrics.ts"
import type { Service, Settings } from "./service.ts"
import { createTracing, type TracingOptions } from "./tracing.ts"
import { createWriters } from "./writers.ts"

/** Options of {@link createIngest}. Durations in ms. */
export interface IngestOptions {
  /** The token of the app whose files are taken. */
  readonly token: string
  /** Where the bytes go; the ingest's from now on. */
  readonly store: BlobStore
  /** Where all else goes; the ingest's from now on. */
  readonly catalog: Catalog
  /** The public base URL, may have a path. Without it each request's own origin counts. */
  readonly url?: string | undefined
  /** Who may read files whose route says nothing; `public-read` unless given. */
  readonly defaultAcl?: Acl | undefined
  /** Whether SHA-256 is worked out of every file (`fileHash`, else empty); true unless given. */
  readonly hash?: boolean | undefined
  /** How long a PUT waits for the app's answer; 30 s unless given. */
  readonly callbackWait?: number | undefined
  /** How long an app may take to answer a callback; 30 s unless given. */
  readonly callbackTimeout?: number | undefined
  /** Delays before each repeated attempt of a callback; then the event is dead. */
  readonly callbackRetries?: ReadonlyArray<number> | undefined
  /** Silence after which a development stream sends an empty line; 15 s unless given. */
  readonly heartbeat?: number | undefined
  /** How often abandoned uploads are looked for; 10 minutes unless given. */
  readonly sweepInterval?: number | undefined
  /** How long past its expiry an unfinished upload is kept; a day unless given. */
  readonly unfinishedTtl?: number | undefined
  /** How long a client-side file is kept that no app ever registered; a day unless given. */
  readonly unregisteredTtl?: number | undefined
  readonly logLevel?: LogLevel | undefined
  readonly logFormat?: LogFormat | undefined
  /** Who may read `/metrics`; nobody (404) unless given. */
  readonly metrics?: MetricsAccess | undefined
  /** Records traces and sends them; off unless given. See `readTracingEnvironment`. */
  readonly tracing?: TracingOptions | undefined
  /** How callbacks are sent; the global `fetch` unless given. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** The service that stores files and tells apps of them. */
export interface Ingest {
  /** Answers any request below the ingest's public URL. Never rejects. */
  readonly fetch: (request: Request) => Promise<Response>
  /** Stops timers, deliveries and writers (what has arrived is kept), then closes store and catalog. */
  readonly close: () => Promise<void>
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

/** Source: docs/protocol.md §8. */
const defaultRetries = [5 * second, 30 * second, 2 * minute, 10 * minute, hour, 6 * hour, day]

const parseUrl = (url: string | undefined): string | undefined => {
  if (url === undefined) return undefined
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TypeError(`INVALID_CONFIG: the ingest's url ${JSON.stringify(url)} is not an http(s) URL.`)
  }
  return url.replace(/\/+$/, "")
}

/**
 * Makes an ingest over a store and a catalog. It starts at once with what the catalog has pending.
 *
 * Fails:  throws `TypeError` on a token or URL that cannot be read, and on a token for the metrics that is too short.
 * Source: docs/protocol.md §6–§10.
 */
export const createIngest = (options: IngestOptions): Ingest => {
  const settings: Settings = {
    url: parseUrl(options.url),
    defaultAcl: options.defaultAcl ?? "public-read",
    isHashed: options.hash ?? true,
    callbackWait: options.callbackWait ?? 30 * second,
    callbackTimeout: options.callbackTimeout ?? 30 * second,
    callbackRetries: options.callbackRetries ?? defaultRetries,
    heartbeat: options.heartbeat ?? limits.heartbeat,
    sweepInterval: options.sweepInterval ?? 10 * minute,
    unfinishedTtl: options.unfinishedTtl ?? day,
    unregisteredTtl: options.unregisteredTtl ?? day,
    // Looked up per call, so that a fetch replaced later (by a test, a tracer) is used.
    fetch: options.fetch ?? ((...args) => globalThis.fetch(...args)),
  }
  const apps = createApps(parseIngestToken(options.token))
  const { logLevel: level = "Info", logFormat = "text" } = options
  const context = createLogContext(level, logFormat)
  const write = toWrite(context)
  const metrics = createMetrics()
  const store = observeStore(options.store, { metrics, write })
  const catalog = observeCatalog(options.catalog, { metrics, write })
  const now = Date.now
  const changes = createChanges()
  const writers = createWriters()
  const devStreams = createDevStreams({ apps, catalog, settings, now })
  const metricsEndpoint = createMetricsEndpoint(options.metrics ?? "off", { metrics, catalog, devStreams })
  // From here on things run by themselves: nothing below may throw.
  const tracing = options.tracing === undefined ? undefined : createTracing(options.tracing, write)
  const dispatcher = createDispatcher({ apps, catalog, changes, settings, tracing }, context)
  const service: Service = {
    settings,
    apps,
    store,
    catalog,
    writers,
    changes,
    dispatcher,
    devStreams,
    // Of the ports as they are: what is asked here is no work of the service.
    checkReadiness: createReadinessCheck({ store: options.store, catalog: options.catalog, changes }),
    metricsEndpoint,
    now,
  }
  const house = Effect.runForkWith(context)(keepHouse(service))
  const observe = createRequestObserver({ metrics, write, isDebugged: isLogged(level, "Debug"), tracing })
  const router = createRouter(service, observe)
  const handle = createFetchHandler(router.respond, context)
  let closing: Promise<void> | undefined

  const close = async (): Promise<void> => {
    changes.close()
    await Effect.runPromise(Fiber.interrupt(house))
    devStreams.close()
    await writers.close()
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
    fetch: async (request) => {
      if (tracing !== undefined) await tracing.ready
      const resource = router.find(request)
      const response = await handle(request, resource)
      // Pages have no business with what is for operators.
      return resource.isOperational === true ? response : allowOrigins(response)
    },
    close: () => (closing ??= close()),
  }
}
