import { type Resolve, resolveByNameServers } from "../server-kit/resolve-host.ts"
import { type Acl, acls, type CacheRule, cacheRules } from "../protocol/signing/signed-url.ts"
import { limits } from "../protocol/limits.ts"
import { ingestDefaults } from "../schema/ingest-defaults.ts"
import { parsePublicUrl } from "./requests/public-url.ts"
import { findScanMistake, type ScanSettings } from "./scan/scan-settings.ts"

/** Which networks callbacks may go to. */
export type CallbackNetworks = "public" | "any"

export const directHashes = ["none", "read"] as const

/** What becomes of the SHA-256 of files whose bytes went past the ingest. */
export type DirectHash = (typeof directHashes)[number]

export const readWays = ["proxy", "redirect"] as const

/** Who sends the bytes of a file that is read: the ingest, or its store where that can. */
export type Reads = (typeof readWays)[number]

/** What the operator of an ingest decides. Times in ms, sizes in bytes. */
export interface Settings {
  /** The public base URL, which may have a path. Without it each request's own origin is used. */
  readonly url: string | undefined
  /**
   * Who may read files where their route does not say.
   * @default "public-read"
   */
  readonly defaultAcl: Acl
  /**
   * How long caches may keep files that anybody may read, where their route does not say: `revalidate`, they ask before each
   * use; `immutable`, for a year, and what is deleted, renamed or made private meanwhile does not reach their copies.
   * @default "revalidate"
   */
  readonly defaultCache: CacheRule

  /**
   * Who sends the bytes of files that are read: `proxy`, the ingest; `redirect`, it answers a GET with a URL of the store that is
   * good for at most 15 minutes, where the store has one and a browser is as safe with it. Not every store can.
   * @default "proxy"
   */
  readonly reads: Reads

  /**
   * Whether the SHA-256 of every file is computed (`fileHash`, otherwise empty).
   * @default true
   */
  readonly hash: boolean
  /**
   * What becomes of the SHA-256 of a file whose bytes went past the ingest (`transport: "direct"`): `none`, it has no
   * `fileHash`; `read`, the file is read again once it is whole, and the client waits for that.
   * @default "none"
   */
  readonly directHash: DirectHash

  /**
   * How long a PUT waits for the app's answer.
   * @default 30_000 (30 seconds)
   */
  readonly callbackWait: number
  /**
   * How long an app may take to answer a callback.
   * @default 30_000 (30 seconds)
   */
  readonly callbackTimeout: number
  /**
   * Delays before each repeated attempt of a callback. After the last one the event is dead.
   * @default [5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000, 86_400_000] (5s, 30s, 2m, 10m, 1h, 6h, 1d)
   */
  readonly callbackRetries: ReadonlyArray<number>
  /**
   * Callbacks in progress at once, of all apps. An app holds at most a quarter of them, and two after one that got no
   * answer, until it answers again. Events for endpoints have as many places of their own, shared among endpoints.
   * @default 256
   */
  readonly maxConcurrentCallbacks: number
  /**
   * Where callbacks of apps other than the ingest's own may go: only to addresses on the public Internet, judged by
   * the address that is connected to, or to any that the ingest can reach.
   * @default "public"
   */
  readonly callbackNetworks: CallbackNetworks
  /**
   * Silence after which a development stream sends an empty line.
   * @default 15_000 (15 seconds)
   */
  readonly heartbeat: number
  /**
   * Development streams that may be open at the same time, of all apps (429 RATE_LIMITED). They are shared like {@link
   * Settings.maxConcurrentReads}.
   * @default 1_000
   */
  readonly maxDevStreams: number

  /**
   * The largest file that is accepted, by its signed size (413 FILE_TOO_LARGE).
   * @default undefined (any size)
   */
  readonly maxFileSize: number | undefined
  /**
   * The most bytes of a file that clients are to send in one body, at least 65,536 (64 KiB): what a proxy or a CDN in
   * front takes. Sluice's clients cut larger files into pieces; the ingest itself takes larger bodies from others.
   * @default undefined (whole files)
   */
  readonly largestAppend: number | undefined
  /**
   * How much the files of one app may take, stored and announced together (507 QUOTA_EXCEEDED). What the catalog keeps
   * about them may be as much again, at least 16 MiB.
   * @default undefined (no limit)
   */
  readonly quota: number | undefined
  /**
   * Files of one app that may be uploading, or waiting for its answer, at the same time (429 RATE_LIMITED).
   * @default 5_000
   */
  readonly maxConcurrentUploads: number
  /**
   * Files of one app that may be registered but not uploaded at the same time (429 RATE_LIMITED). One that never
   * arrives is forgotten after eight days.
   * @default 1_000_000
   */
  readonly maxExpectedFiles: number
  /**
   * How much the catalog may keep about those, metadata included (429 RATE_LIMITED).
   * @default 536_870_912 (512MB)
   */
  readonly maxExpectedBytes: number
  /**
   * Bytes per second below which an upload is cut off (409 RANGE_MISMATCH, what has arrived is kept); 0: never. Only
   * time spent waiting for the client counts.
   * @default 1_024 (1KB)
   */
  readonly minimumRate: number
  /**
   * Over how long {@link minimumRate} is measured.
   * @default 30_000 (30 seconds)
   */
  readonly minimumRateWindow: number
  /**
   * Files that may be sent to clients at the same time, of all apps (429 RATE_LIMITED). Where there are several apps,
   * one app gets at most two thirds of these places, and the next app gets part of the rest.
   * @default 10_000
   */
  readonly maxConcurrentReads: number
  /**
   * Bytes per second below which a client that reads a file is cut off; 0: never. Only time spent waiting for the
   * client counts.
   * @default 1_024 (1KB)
   */
  readonly minimumReadRate: number
  /**
   * Over how long {@link minimumReadRate} is measured. A shorter time is unfair to slow clients: a piece has at least
   * 64 KiB where there is room, and systems take bytes from the ingest in bursts of up to a megabyte.
   * @default 60_000 (1 minute)
   */
  readonly minimumReadRateWindow: number
  /**
   * How long the body of a registration or a callback's result may take to arrive (408).
   * @default 15_000 (15 seconds)
   */
  readonly bodyTimeout: number
  /**
   * Room kept free where the store keeps its files, and where the catalog is, for what frees room: with less, new bytes are
   * refused, and whatever would begin (503 INGEST_UNAVAILABLE). It has no effect on a store or a catalog that cannot tell.
   * @default 67_108_864 (64MB)
   */
  readonly minimumFree: number

  /**
   * How often the ingest looks for abandoned uploads.
   * @default 600_000 (10 minutes)
   */
  readonly sweepInterval: number
  /**
   * How long past its expiry an unfinished upload is kept.
   * @default 86_400_000 (1 day)
   */
  readonly unfinishedTtl: number
  /**
   * How long a client-side file that no app has registered is kept.
   * @default 86_400_000 (1 day)
   */
  readonly unregisteredTtl: number
  /**
   * How long failed uploads (from the expiry of their URL), attempts at callbacks and ended events of endpoints are kept.
   * @default 2_592_000_000 (30 days)
   */
  readonly historyTtl: number

  /**
   * Looks into every file that is held (route option `hold`): releases those it calls clean, rejects the others. It is a
   * clamd of ClamAV, or a scanner of your own that is asked by HTTP.
   * @default undefined (nothing: the apps decide)
   */
  readonly scan: ScanSettings | undefined
  /**
   * How long the scanner may take for one file. It is tried again later.
   * @default 300_000 (5 minutes)
   */
  readonly scanTimeout: number
  /**
   * Files that are scanned at the same time, of all apps. Where there are several apps, one app never holds all of these
   * places, and at most half of them while others wait.
   * @default 4
   */
  readonly maxConcurrentScans: number

  /**
   * Sends all callbacks, and asks a scanner that has a URL; {@link Settings.callbackNetworks} is then up to it. By default the global `fetch` does, or
   * `node:http` where that is Node's own, and for apps limited to the public Internet our own requests, which ignore any
   * proxy of the environment.
   */
  readonly fetch: typeof globalThis.fetch | undefined
  /**
   * Resolves the name of a callback's host to its addresses, which are kept for `ttl` seconds where it says so. By default the
   * system's name servers are asked, and not its hosts file. Not used by `fetch`.
   */
  readonly resolveHost: Resolve
}

const defaults: Settings = {
  ...ingestDefaults,
  url: undefined,
  maxFileSize: undefined,
  largestAppend: undefined,
  quota: undefined,
  scan: undefined,
  fetch: undefined,
  resolveHost: resolveByNameServers,
}

/** Smallest valid values. */
const least: { readonly [K in keyof Settings]?: number } = {
  maxConcurrentUploads: 1,
  maxConcurrentCallbacks: 1,
  minimumRateWindow: 1,
  maxConcurrentReads: 1,
  maxDevStreams: 1,
  minimumReadRateWindow: 1,
  scanTimeout: 1,
  maxConcurrentScans: 1,
  largestAppend: limits.smallestPiece,
}

/** The settings that are one of a few words. */
const choices = {
  callbackNetworks: ["public", "any"],
  defaultAcl: acls,
  defaultCache: cacheRules,
  directHash: directHashes,
  reads: readWays,
} as const satisfies { readonly [K in keyof Settings]?: ReadonlyArray<Settings[K]> }

const parseChoices = (settings: Settings): void => {
  for (const [name, words] of Object.entries(choices) as Array<[keyof typeof choices, ReadonlyArray<string>]>) {
    const value: string = settings[name]
    if (words.includes(value)) continue
    const all = words.map((word) => `"${word}"`).join(" or ")
    throw new TypeError(`INVALID_CONFIG: the ingest's ${name} is "${value}"; it must be ${all}.`)
  }
}

const parseScan = ({ scan, url }: Pick<Settings, "scan" | "url">): void => {
  const mistake = scan && findScanMistake(scan, url)
  if (mistake !== undefined) throw new TypeError(`INVALID_CONFIG: the ingest's ${mistake}`)
}

/** Settings as they may be given, each of them optional. */
export type SettingsInit = { readonly [K in keyof Settings]?: Settings[K] | undefined }

/** The names of all settings. */
export const settingNames: ReadonlyArray<string> = Object.keys(defaults)

/**
 * The settings that were given, with the defaults of all others.
 *
 * Fails: throws `TypeError` INVALID_CONFIG on an invalid URL or address, and on numbers that are not bytes or ms.
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
  parseChoices(settings)
  parseScan(settings)
  return { ...settings, url: settings.url === undefined ? undefined : parsePublicUrl(settings.url) }
}
