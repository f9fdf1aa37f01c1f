import type { TraceContext } from "../protocol/trace-context.ts"
import type { createReminder } from "../server-kit/reminder.ts"
import type { AppClocks } from "./access/app-clocks.ts"
import type { AskedAgain } from "./delivery/asked-again.ts"
import type { Apps } from "./access/apps.ts"
import type { BodyRoom } from "./requests/body-room.ts"
import type { CallTurns } from "./requests/call-turns.ts"
import type { BlobStore } from "./storage/blob-store.ts"
import type { Catalog } from "./storage/catalog/catalog.ts"
import type { Changes } from "./delivery/changes.ts"
import type { DevStreams } from "./delivery/dev-streams.ts"
import type { Dispatcher } from "./delivery/dispatcher.ts"
import type { Looks } from "./delivery/looks.ts"
import type { RefusedCallbacks } from "./delivery/refused-callbacks.ts"
import type { HeldUrls } from "./scan/held-urls.ts"
import type { JudgeHeld } from "./scan/scanner.ts"
import type { FreeSpace } from "./storage/free-space.ts"
import type { Readers } from "./download/readers.ts"
import type { Membership } from "./processes/membership.ts"
import type { RateWatch } from "./upload/minimum-rate.ts"
import type { Readiness } from "./observe/readiness.ts"
import type { Span } from "./observe/tracing.ts"
import { wrapPort } from "./storage/wrap-port.ts"
import type { MetricsEndpoint } from "./observe/serve-metrics.ts"
import type { Settings } from "./settings.ts"
import type { UploadSlots } from "./upload/upload-slots.ts"
import type { Writers } from "./upload/writers.ts"
import type { LimitedLog } from "./observe/limited-log.ts"

/** Everything that the steps of a request need; made once. */
export interface Service {
  readonly settings: Settings
  readonly apps: Apps
  readonly store: BlobStore
  readonly catalog: Catalog
  readonly slots: UploadSlots
  readonly bodies: BodyRoom
  readonly turns: CallTurns
  readonly writers: Writers
  readonly rates: RateWatch
  readonly readers: Readers
  readonly space: FreeSpace
  readonly changes: Changes
  readonly looks: Looks
  readonly dispatcher: Dispatcher
  readonly refusedCallbacks: RefusedCallbacks
  readonly limitedLog: Pick<LimitedLog, "log">
  /** Whether to log now what every upload of an app might make the ingest say. */
  readonly remind: ReturnType<typeof createReminder>
  readonly clocks: AppClocks
  readonly askedAgain: AskedAgain
  readonly devStreams: DevStreams
  /** There are bytes to remove: do not wait for the next sweep. */
  readonly wakeHousekeeping: () => void
  /** A file is held: the scanner may look at it. */
  readonly wakeScans: () => void
  /** What the scanner reads and judges files by; undefined where it does neither. */
  readonly heldUrls: HeldUrls | undefined
  readonly judgeHeld: JudgeHeld
  readonly checkReadiness: () => Promise<Readiness>
  /** Undefined where nobody may read them. */
  readonly metricsEndpoint: MetricsEndpoint | undefined
  readonly membership: Membership
  /** The trace of the current request, where it is recorded. */
  readonly trace?: TraceContext
  /** ms since the epoch. */
  readonly now: () => number
}

/** The service as one request sees it: operations of its storage are children of the request's span. */
export const traceService = (service: Service, span: Span): Service => {
  const traced = <Port extends object>(prefix: string, port: Port): Port =>
    wrapPort(port, async (method, run) => {
      const child = span.child(`${prefix}.${method}`)
      try {
        const result = await run()
        child.end()
        return result
      } catch (cause) {
        child.end(cause instanceof Error ? cause.message : String(cause))
        throw cause
      }
    })
  return {
    ...service,
    store: traced("blobs", service.store),
    catalog: traced("catalog", service.catalog),
    trace: span.context,
  }
}
