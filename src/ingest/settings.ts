import { limits } from "../protocol/limits.ts"
import type { Acl } from "../protocol/signed-url.ts"

/** What the operator of an ingest decides. Times in ms, sizes in bytes. */
export interface Settings {
  /** The public base URL, may have a path. Without it each request's own origin counts. */
  readonly url: string | undefined
  /** Who may read files whose route says nothing; `public-read` unless given. */
  readonly defaultAcl: Acl

  /** Whether SHA-256 is worked out of every file (`fileHash`, else empty); true unless given. */
  readonly hash: boolean

  /** How long a PUT waits for the app's answer; 30 s unless given. */
  readonly callbackWait: number
  /** How long an app may take to answer a callback; 30 s unless given. */
  readonly callbackTimeout: number
  /** Delays before each repeated attempt of a callback; then the event is dead. */
  readonly callbackRetries: ReadonlyArray<number>
  /** Silence after which a development stream sends an empty line; 15 s unless given. */
  readonly heartbeat: number

  /** The largest file that is taken, by its signed size (413 FILE_TOO_LARGE); any size unless given. */
  readonly maxFileSize: number | undefined
  /** What the files of one app may take, stored and announced together (507 QUOTA_EXCEEDED); no limit unless given. */
  readonly quota: number | undefined
  /** Files of one app that may be sent at the same time (429 RATE_LIMITED); 5,000 unless given. */
  readonly maxConcurrentUploads: number
  /**
   * Bytes per second below which an upload is cut off (409 RANGE_MISMATCH, what has arrived is kept); 1 KiB unless
   * given, 0: never. Only the time spent waiting for the client counts.
   */
  readonly minimumRate: number
  /** Over how long {@link minimumRate} is measured; 30 s unless given. */
  readonly minimumRateWindow: number
  /** How long the body of a registration or a callback's result may take to arrive (408); 15 s unless given. */
  readonly bodyTimeout: number
  /**
   * Room kept free where the store keeps its files, so that the catalog can still write: with less, new bytes are
   * refused (503 INGEST_UNAVAILABLE). 64 MiB unless given; of no effect on a store that cannot tell.
   */
  readonly minimumFree: number

  /** How often abandoned uploads are looked for; 10 minutes unless given. */
  readonly sweepInterval: number
  /** How long past its expiry an unfinished upload is kept; a day unless given. */
  readonly unfinishedTtl: number
  /** How long a client-side file is kept that no app ever registered; a day unless given. */
  readonly unregisteredTtl: number
  /** How long failed uploads (from the expiry of their URL) and attempts at callbacks stay known; 30 days unless given. */
  readonly historyTtl: number

  /** How callbacks are sent; the global `fetch` unless given. */
  readonly fetch: typeof globalThis.fetch
}

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const defaults: Settings = {
  url: undefined,
  defaultAcl: "public-read",
  hash: true,
  callbackWait: 30 * second,
  callbackTimeout: 30 * second,
  // Source: docs/protocol.md §8.
  callbackRetries: [5 * second, 30 * second, 2 * minute, 10 * minute, hour, 6 * hour, day],
  heartbeat: limits.heartbeat,
  maxFileSize: undefined,
  quota: undefined,
  maxConcurrentUploads: 5000,
  minimumRate: 1024,
  minimumRateWindow: 30 * second,
  bodyTimeout: 15 * second,
  minimumFree: 64 * 1024 * 1024,
  sweepInterval: 10 * minute,
  unfinishedTtl: day,
  unregisteredTtl: day,
  historyTtl: 30 * day,
  // Looked up per call, so that a fetch replaced later (by a test, a tracer) is used.
  fetch: (...args) => globalThis.fetch(...args),
}

const parseUrl = (url: string): string => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TypeError(`INVALID_CONFIG: the ingest's url ${JSON.stringify(url)} is not an http(s) URL.`)
  }
  return url.replace(/\/+$/, "")
}

/** Numbers that make no sense below this. */
const least: { readonly [K in keyof Settings]?: number } = { maxConcurrentUploads: 1, minimumRateWindow: 1 }

/** Settings as they may be given: each of them, or none. */
export type SettingsInit = { readonly [K in keyof Settings]?: Settings[K] | undefined }

/**
 * The settings that were given, and the defaults of all others.
 *
 * Fails: throws `TypeError` INVALID_CONFIG on a URL that is none, and on numbers that are no bytes or ms.
 */
export const resolveSettings = (init: SettingsInit): Settings => {
  const settings = { ...defaults }
  for (const name of Object.keys(defaults) as Array<keyof Settings>) {
    const value = init[name]
    if (value === undefined) continue
    const minimum = least[name] ?? 0
    if (typeof value === "number" && !(value >= minimum)) {
      throw new TypeError(`INVALID_CONFIG: the ingest's ${name} is ${value}; it must be at least ${minimum}.`)
    }
    Object.assign(settings, { [name]: value })
  }
  return { ...settings, url: settings.url === undefined ? undefined : parseUrl(settings.url) }
}
