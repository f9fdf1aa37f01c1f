import type { Acl } from "../protocol/signed-url.ts"
import type { TraceContext } from "../protocol/trace-context.ts"
import type { Apps } from "./app.ts"
import type { BlobStore } from "./blob-store.ts"
import type { Catalog } from "./catalog.ts"
import type { Changes } from "./changes.ts"
import type { DevStreams } from "./dev-streams.ts"
import type { Dispatcher } from "./dispatcher.ts"
import type { Readiness } from "./readiness.ts"
import type { MetricsEndpoint } from "./serve-metrics.ts"
import type { Writers } from "./writers.ts"

/** What the operator decided. Times in ms. */
export interface Settings {
  /** Public base URL, no slash at the end; undefined: each request's own origin. */
  readonly url: string | undefined
  readonly defaultAcl: Acl
  /** Whether SHA-256 is worked out of every file. */
  readonly isHashed: boolean
  readonly callbackWait: number
  readonly callbackTimeout: number
  readonly callbackRetries: ReadonlyArray<number>
  readonly heartbeat: number
  readonly sweepInterval: number
  readonly unfinishedTtl: number
  readonly unregisteredTtl: number
  readonly fetch: typeof globalThis.fetch
}

/** All that the steps of a request work with; made once. */
export interface Service {
  readonly settings: Settings
  readonly apps: Apps
  readonly store: BlobStore
  readonly catalog: Catalog
  readonly writers: Writers
  readonly changes: Changes
  readonly dispatcher: Dispatcher
  readonly devStreams: DevStreams
  readonly checkReadiness: () => Promise<Readiness>
  /** Undefined where nobody may read them. */
  readonly metricsEndpoint: MetricsEndpoint | undefined
  /** Of the request this is for, when its trace is recorded. */
  readonly trace?: TraceContext
  /** ms since the epoch. */
  readonly now: () => number
}

/** An id for an event: `evt_` and 128 random bits. */
export const createEventId = (): string => `evt_${crypto.randomUUID().replaceAll("-", "")}`
