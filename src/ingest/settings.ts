import { type Resolve, resolveBySystem } from "../http/pinned-request.ts"
import { limits } from "../protocol/limits.ts"
import { type Acl, acls } from "../protocol/signed-url.ts"

/** Which networks callbacks may go to. */
export type CallbackNetworks = "public" | "any"

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
  /**
   * Callbacks under way at once, of all apps; 256 unless given. An app holds at most a quarter of them, and two after one
   * that got no answer, until it answers again.
   */
  readonly maxConcurrentCallbacks: number
  /**
   * Where callbacks of apps may go that are not the ingest's own: to addresses of the public Internet only, by the address
   * that is connected to, or to any the ingest can reach; `public` unless given.
   */
  readonly callbackNetworks: CallbackNetworks
  /** Silence after which a development stream sends an empty line; 15 s unless given. */
  readonly heartbeat: number
  /**
   * Development streams that may be open at the same time, of all apps (429 RATE_LIMITED); 1,000 unless given. Shared as
   * {@link Settings.maxConcurrentReads} is.
   */
  readonly maxDevStreams: number

  /** The largest file that is taken, by its signed size (413 FILE_TOO_LARGE); any size unless given. */
  readonly maxFileSize: number | undefined
  /**
   * What the files of one app may take, stored and announced together (507 QUOTA_EXCEEDED); no limit unless given. What
   * the catalog keeps of them beside may be as much again, at least 16 MiB.
   */
  readonly quota: number | undefined
  /** Files of one app that may be sent, or wait for its answer, at the same time (429 RATE_LIMITED); 5,000 unless given. */
  readonly maxConcurrentUploads: number
  /**
   * Files of one app that may be registered and not uploaded at the same time (429 RATE_LIMITED); a million unless given.
   * One that never comes is forgotten after eight days.
   */
  readonly maxExpectedFiles: number
  /** What the catalog may keep of those, metadata included (429 RATE_LIMITED); 512 MiB unless given. */
  readonly maxExpectedBytes: number
  /**
   * Bytes per second below which an upload is cut off (409 RANGE_MISMATCH, what has arrived is kept); 1 KiB unless
   * given, 0: never. Only the time spent waiting for the client counts.
   */
  readonly minimumRate: number
  /** Over how long {@link minimumRate} is measured; 30 s unless given. */
  readonly minimumRateWindow: number
  /**
   * Files that may be sent to clients at the same time, of all apps (429 RATE_LIMITED); 10,000 unless given. Where there are
   * several apps the files of one have two thirds of these places at most, and a part of what is left is the next app's.
   */
  readonly maxConcurrentReads: number
  /**
   * Bytes per second below which a client that reads a file is cut off; 1 KiB unless given, 0: never. Only the time spent
   * waiting for the client counts.
   */
  readonly minimumReadRate: number
  /**
   * Over how long {@link minimumReadRate} is measured; a minute unless given. Shorter is unfair to slow clients: a piece
   * has 64 KiB at least where there is room, and systems take bytes from the ingest in bursts of up to a megabyte.
   */
  readonly minimumReadRateWindow: number
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

  /**
   * How callbacks are sent, all of them; {@link Settings.callbackNetworks} is then its affair. Unless given: the global
   * `fetch`, and for apps that are kept to the public Internet our own requests, which no proxy of the environment sees.
   */
  readonly fetch: typeof globalThis.fetch | undefined
  /** What addresses the name of a callback's host has; the system's answer unless given. Not asked by `fetch`. */
  readonly resolveHost: Resolve
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
  maxConcurrentCallbacks: 256,
  callbackNetworks: "public",
  heartbeat: limits.heartbeat,
  maxDevStreams: 1000,
  maxFileSize: undefined,
  quota: undefined,
  maxConcurrentUploads: 5000,
  maxExpectedFiles: 1_000_000,
  maxExpectedBytes: 512 * 1024 * 1024,
  minimumRate: 1024,
  minimumRateWindow: 30 * second,
  maxConcurrentReads: 10_000,
  minimumReadRate: 1024,
  minimumReadRateWindow: minute,
  bodyTimeout: 15 * second,
  minimumFree: 64 * 1024 * 1024,
  sweepInterval: 10 * minute,
  unfinishedTtl: day,
  unregisteredTtl: day,
  historyTtl: 30 * day,
  fetch: undefined,
  resolveHost: resolveBySystem,
}

const parseUrl = (url: string): string => {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new TypeError("INVALID_CONFIG: the ingest's url is not an http(s) URL.")
  }
  const { username, password } = new URL(url)
  if (username + password !== "") {
    throw new TypeError("INVALID_CONFIG: the ingest's url has a user or a password in it; everybody is told of it.")
  }
  return url.replace(/\/+$/, "")
}

/** Numbers that make no sense below this. */
const least: { readonly [K in keyof Settings]?: number } = {
  maxConcurrentUploads: 1,
  maxConcurrentCallbacks: 1,
  minimumRateWindow: 1,
  maxConcurrentReads: 1,
  maxDevStreams: 1,
  minimumReadRateWindow: 1,
}

const parseNetworks = (networks: string): void => {
  if (networks === "public" || networks === "any") return
  throw new TypeError(`INVALID_CONFIG: the ingest's callbackNetworks is "${networks}"; it must be "public" or "any".`)
}

const parseAcl = (acl: string): void => {
  if ((acls as ReadonlyArray<string>).includes(acl)) return
  throw new TypeError(`INVALID_CONFIG: the ingest's defaultAcl is "${acl}"; it must be "public-read" or "private".`)
}

/** Settings as they may be given: each of them, or none. */
export type SettingsInit = { readonly [K in keyof Settings]?: Settings[K] | undefined }

/** The names of all settings. */
export const settingNames: ReadonlyArray<string> = Object.keys(defaults)

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
  parseNetworks(settings.callbackNetworks)
  parseAcl(settings.defaultAcl)
  return { ...settings, url: settings.url === undefined ? undefined : parseUrl(settings.url) }
}
