import { limits } from "../protocol/limits.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/**
 * The defaults of an ingest's settings; times in ms, sizes in bytes. This is the only definition: `createIngest` and
 * the texts of `sluice ingest --help` use it, docstrings and docs are compared with it (test/ingest/defaults.test.ts).
 * A setting that is not here has no default: no limit, or the system's.
 */
export const ingestDefaults = {
  defaultAcl: "public-read",
  defaultCache: "revalidate",
  reads: "proxy",
  hash: true,
  directHash: "none",
  callbackWait: 30 * second,
  callbackTimeout: 30 * second,
  // Source: docs/protocol.md §8.
  callbackRetries: [5 * second, 30 * second, 2 * minute, 10 * minute, hour, 6 * hour, day],
  maxConcurrentCallbacks: 256,
  callbackNetworks: "public",
  heartbeat: limits.heartbeat,
  maxDevStreams: 1000,
  maxConcurrentUploads: 5000,
  maxExpectedFiles: 1_000_000,
  maxExpectedBytes: 512 * mebibyte,
  minimumRate: kibibyte,
  minimumRateWindow: 30 * second,
  maxConcurrentReads: 10_000,
  minimumReadRate: kibibyte,
  minimumReadRateWindow: minute,
  bodyTimeout: 15 * second,
  minimumFree: 64 * mebibyte,
  sweepInterval: 10 * minute,
  unfinishedTtl: day,
  unregisteredTtl: day,
  historyTtl: 30 * day,
  scanTimeout: 5 * minute,
  maxConcurrentScans: 4,
} as const

/** The defaults of options other than the ingest's settings: its log, its metrics, its catalog. */
export const otherIngestDefaults = {
  logLevel: "Info",
  metrics: "off",
  /** Size of the largest file that a catalog keeps itself, bytes. */
  largestContent: 64 * kibibyte,
} as const
