import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { type Answer, toResponse } from "../http/answer.ts"
import type { Incoming } from "../http/incoming.ts"
import { createTransport } from "../http/own-transport.ts"
import type { Ingest, IngestFetch } from "./running-ingest.ts"
import { createRequestHandler } from "../server-kit/request-handler.ts"
import { createLogContext, isLogged, toWrite } from "../server-kit/logging.ts"
import type { LogFormat, LogLevel } from "../protocol/log-level.ts"
import { createReminder } from "../server-kit/reminder.ts"
import { findUnknownOption } from "../protocol/unknown-option.ts"
import { otherIngestDefaults } from "../schema/ingest-defaults.ts"
import { withCommonHeaders } from "./requests/answer-headers.ts"
import { withErrorPage } from "./requests/error-page.ts"
import { createAppClocks } from "./access/app-clocks.ts"
import { createAskedAgain } from "./delivery/asked-again.ts"
import { createApps, parseIngestToken } from "./access/apps.ts"
import { createBodyRoom } from "./requests/body-room.ts"
import { createCallTurns } from "./requests/call-turns.ts"
import { closeAll } from "./close-all.ts"
import type { BlobStore } from "./storage/blob-store.ts"
import type { Catalog } from "./storage/catalog/catalog.ts"
import { createChanges } from "./delivery/changes.ts"
import { createCallbackTransport } from "./delivery/callback-transport.ts"
import { createDrive, createDrivers, type RequestContext, requireNothingBehind } from "./upkeep/drive.ts"
import { createDevStreams } from "./delivery/dev-streams.ts"
import { createDispatcher } from "./delivery/dispatcher.ts"
import { createLooks } from "./delivery/looks.ts"
import { createEndpointDispatcher } from "./delivery/endpoint-dispatcher.ts"
import { createPostEvent } from "./delivery/post-event.ts"
import { createRefusedCallbacks } from "./delivery/refused-callbacks.ts"
import { createReaders } from "./download/readers.ts"
import { requireUrls } from "./download/redirect.ts"
import { createFreeSpace } from "./storage/free-space.ts"
import { createHousekeeping } from "./upkeep/housekeeping.ts"
import { createInFlight } from "./in-flight.ts"
import { joinCatalog } from "./processes/join-catalog.ts"
import type { ProcessTimes } from "./processes/membership.ts"
import { createMetrics } from "./observe/metrics.ts"
import { createRateWatch } from "./upload/minimum-rate.ts"
import { observeCatalog, observeSpace, observeStore } from "./observe/observed-ports.ts"
import { createRequestObserver } from "./observe/observe-request.ts"
import { packageVersion } from "./observe/package-version.ts"
import { createOutageWatch } from "./observe/outage.ts"
import { createLimitedLog } from "./observe/limited-log.ts"
import { createReadinessCheck } from "./observe/readiness.ts"
import { createRouter } from "./endpoints/router.ts"
import { stopping } from "./refusals.ts"
import { createJudgeHeld } from "./scan/judge-held.ts"
import { createScans } from "./scan/scan-held.ts"
import { wakeAfterChanges } from "./storage/wake-after.ts"
import { createScanner } from "./scan/create-scanner.ts"
import { isScanExposed } from "./scan/scan-settings.ts"
import { createMetricsEndpoint, type MetricsAccess } from "./observe/serve-metrics.ts"
import type { Service } from "./service.ts"
import { resolveSettings, settingNames, type SettingsInit } from "./settings.ts"
import { createTracing } from "./observe/tracing.ts"
import type { TracingOptions } from "./observe/tracing-options.ts"
import { createUploadSlots } from "./upload/upload-slots.ts"
import { createWriters } from "./upload/writers.ts"

/** Options of {@link createIngest}: its token, its storage and its settings. */
export interface IngestOptions extends SettingsInit {
  /** The token of the app whose files are taken. */
  readonly token: string
  /** Where the bytes are stored. The ingest owns it from now on and closes it. */
  readonly store: BlobStore
  /** Where everything else is stored. The ingest owns it from now on and closes it. */
  readonly catalog: Catalog
  /**
   * How much is logged.
   * @default "Info"
   */
  readonly logLevel?: LogLevel | undefined
  readonly logFormat?: LogFormat | undefined
  /** Whether lines of a text log begin with the time, ISO 8601 in UTC; `clock`: with the local time of day. False by default. */
  readonly logTime?: boolean | "clock" | undefined
  /**
   * Who may read `/metrics`; `"off"`: nobody (404).
   * @default "off"
   */
  readonly metrics?: MetricsAccess | undefined
  /** Records traces and sends them; off by default. See `readTracingEnvironment`. */
  readonly tracing?: TracingOptions | undefined
  /**
   * Whether it works by itself: sends what is due, tries again, expires, removes. True by default. With false nothing of it runs
   * between requests and calls of {@link Ingest.tick}, for functions of a cloud: neither timers nor sweeps.
   */
  readonly background?: boolean | undefined
}

const ownOptions = [
  "token",
  "store",
  "catalog",
  "logLevel",
  "logFormat",
  "logTime",
  "metrics",
  "tracing",
  "background",
] as const satisfies ReadonlyArray<keyof IngestOptions>

/** How long interrupted uploads have to get their answer before the catalog closes, ms. */
const answerTime = 1000

/**
 * How long interrupted uploads of an ingest that is one of several have to store what has arrived, ms: another one goes on with
 * them, and what is not stored is sent again.
 */
const flushTime = 20_000

/** How long those of one that is alone have, ms: what stores nothing any more must not hold up the stop. */
const shortFlushTime = 3000

/** How long the sweep of recently deleted files may take before the catalog closes, ms. */
const sweepTime = 2000

/**
 * Makes an ingest over a store and a catalog. It starts at once with what the catalog has pending.
 *
 * @param times of its looks at other processes; tests change them
 *
 * Fails:  throws `TypeError` on an invalid token, URL or number, on a metrics token that is too short, and on an
 *         unknown option.
 * Source: docs/protocol.md §6–§10.
 */
export const createIngest = (options: IngestOptions, times?: ProcessTimes): Ingest => {
  const unknown = findUnknownOption(options, [...settingNames, ...ownOptions])
  if (unknown !== undefined) throw new TypeError(`INVALID_CONFIG: the options of createIngest: ${unknown}`)
  const settings = resolveSettings(options)
  requireUrls(settings, options.store)
  requireNothingBehind(options)
  const token = parseIngestToken(options.token)
  const { logLevel: level = otherIngestDefaults.logLevel, logFormat = "text", logTime } = options
  const context = createLogContext(level, logFormat, logTime)
  const write = toWrite(context)
  const isDebugged = isLogged(level, "Debug")
  const limitedLog = createLimitedLog(write, isDebugged)
  const metrics = createMetrics()
  const outages = { store: createOutageWatch("The store", write), catalog: createOutageWatch("The catalog", write) }
  const store = observeStore(options.store, { metrics, write, outage: outages.store })
  const observed = observeCatalog(options.catalog, { metrics, write, limitedLog, outage: outages.catalog })
  const catalog = wakeAfterChanges(observed, () => endpoints.wake())
  const parts = { getService: () => service, wakeEndpoints: () => endpoints.wake(), write }
  const membership = joinCatalog(catalog, options.background !== false, parts, times)
  const { now } = membership
  const apps = createApps({ token, catalog, settings, now, write })
  const changes = createChanges()
  const devStreams = createDevStreams({ apps, catalog, settings, now, write })
  const readers = createReaders(settings, apps.isOne, () => metrics.cutReaders.add())
  const metricsEndpoint = createMetricsEndpoint(options.metrics ?? otherIngestDefaults.metrics, {
    metrics,
    catalog,
    devStreams,
    readers,
  })
  // From here on parts run by themselves: nothing below may throw.
  const tracing = options.tracing === undefined ? undefined : createTracing(options.tracing, write)
  const transport = createCallbackTransport(settings)
  const scanTransport = createTransport(settings.fetch, settings.maxConcurrentScans)
  const scanning = createScanner(settings, { send: scanTransport.send, now })
  const refusedCallbacks = createRefusedCallbacks()
  const space = observeSpace(createFreeSpace({ store, catalog }, settings.minimumFree), outages)
  const postEvent = createPostEvent({
    apps,
    ports: { catalog, space },
    settings,
    tracing,
    transport,
    refused: refusedCallbacks,
  })
  const drivers = options.background === false ? createDrivers() : undefined
  const isDriven = drivers?.isDriven
  const toApps = { catalog, space, changes, settings, tracing, postEvent, limitedLog, membership }
  const dispatcher = createDispatcher(toApps, context, isDriven)
  // Connections of their own: callbacks wait for no endpoint.
  const endpointTransport = createCallbackTransport(settings)
  const toEndpoints = { apps, catalog, settings, transport: endpointTransport, limitedLog, membership }
  const endpoints = createEndpointDispatcher(toEndpoints, context, isDriven)
  const housekeeping = createHousekeeping(() => service)
  const outboxes = [dispatcher, endpoints]
  const drive = drivers && createDrive({ drivers, outboxes, housekeeping, catalog, now, write })
  const service: Service = {
    settings,
    apps,
    store,
    catalog,
    slots: createUploadSlots(settings.maxConcurrentUploads, membership.elsewhere),
    bodies: createBodyRoom(apps.isOne),
    turns: createCallTurns(),
    writers: createWriters(),
    rates: createRateWatch(settings),
    readers,
    space,
    changes,
    looks: createLooks({ catalog, changes }),
    dispatcher,
    refusedCallbacks,
    limitedLog,
    remind: createReminder(),
    clocks: createAppClocks(write),
    askedAgain: createAskedAgain(),
    devStreams,
    wakeHousekeeping: housekeeping.wake,
    wakeScans: () => scans?.wake(),
    heldUrls: scanning?.urls,
    judgeHeld: (file, verdict) => judgeHeld(file, verdict),
    // On the unwrapped ports, so that probes do not count in the metrics.
    checkReadiness: createReadinessCheck({
      store: options.store,
      space,
      catalog: options.catalog,
      outages,
      changes,
      isConnected: membership.isConnected,
    }),
    metricsEndpoint,
    membership,
    now,
  }
  const judgeHeld = createJudgeHeld(service, metrics)
  const scans = scanning && createScans(service, scanning.scanner, metrics, context)
  membership.join()
  const house = drive === undefined ? Effect.runForkWith(context)(housekeeping.keep) : undefined
  const observe = createRequestObserver({ metrics, write, limitedLog, isDebugged, tracing })
  const router = createRouter(service, observe)
  const handle = createRequestHandler(router.respond, context)
  const inFlight = createInFlight()
  let closing: Promise<void> | undefined
  // One without a background may be made for each request.
  const ofLife = drive === undefined ? "Info" : "Debug"

  const drain = async (grace: number): Promise<void> => {
    const deadline = performance.now() + grace
    await closeAll([
      () => dispatcher.pause(),
      () => endpoints.pause(),
      () => changes.drain(),
      () => devStreams.close(),
      () => inFlight.settle(grace),
      () => dispatcher.drain(deadline - performance.now()),
      () => endpoints.drain(deadline - performance.now()),
    ])
  }

  const close = async (): Promise<void> => {
    const steps = [
      () => changes.close(),
      () => devStreams.close(),
      () =>
        Promise.all([
          house && Effect.runPromise(housekeeping.settle(sweepTime)),
          service.writers.close(stopping(), catalog.processes ? flushTime : shortFlushTime),
        ]),
      () => house && Effect.runPromise(Fiber.interrupt(house)),
      () => inFlight.settle(answerTime),
      () => scans?.close(),
      () => scanTransport.close(),
      () => dispatcher.close(),
      () => endpoints.close(),
      () => transport.close(),
      () => endpointTransport.close(),
      () => metricsEndpoint?.close(),
      () => membership.leave(),
      () => store.close(),
      () => catalog.close(),
      () => tracing?.close(),
      limitedLog.close,
    ]
    try {
      await closeAll(steps, (cause) => write("Error", "A part of the ingest could not be closed.", [cause]))
    } finally {
      write(ofLife, "The ingest has stopped.", [])
    }
  }

  write(ofLife, "The ingest has started.", [
    { version: packageVersion, ...(settings.url !== undefined && { url: settings.url }) },
  ])
  if (settings.scan !== undefined && isScanExposed(settings.scan)) {
    write(
      "Warning",
      "The scanner is asked over http: others on the way could read and release held files. Use https.",
      [{ scanner: scanning?.scanner.address }],
    )
  }
  const answer = (request: Incoming): Promise<Answer> =>
    inFlight.run(async () => {
      if (tracing !== undefined) await tracing.ready
      const joined = membership.joined()
      if (joined !== undefined) await joined
      const resource = router.find(request)
      return withCommonHeaders(withErrorPage(await handle(request, resource), request, resource), resource, settings)
    })
  const respond: IngestFetch["respond"] =
    drive === undefined ? answer : (request, given) => drive.answer(() => answer(request), given)
  return {
    fetch: Object.assign(
      async (request: Request, given?: RequestContext) => toResponse(await respond(request, given)),
      {
        respond,
      },
    ),
    tick: async (ticked) => {
      if (drive === undefined) {
        throw new TypeError("INVALID_CONFIG: the ingest works by itself. A tick is for one whose background is false.")
      }
      return drive.tick(ticked)
    },
    drain,
    close: () => (closing ??= close()),
  }
}
