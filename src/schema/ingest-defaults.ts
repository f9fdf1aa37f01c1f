import { limits } from "../protocol/limits.ts"

const second = 1000
const minute = 60 * second
const hour = 60 * minute
const day = 24 * hour

const kibibyte = 1024
const mebibyte = 1024 * kibibyte

/**
 * What counts for an ingest unless its operator says otherwise; times in ms, sizes in bytes. The one place where it
 * stands: `createIngest` and the texts of `sluice ingest --help` are made of it, docstrings and docs are compared with it
 * (test/ingest/defaults.test.ts). What is not here has no default: no limit, or whatever the system says.
 */
export const ingestDefaults = {
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
} as const

/** The same of what is decided beside the ingest's settings: its log, its metrics, its catalog. */
export const otherIngestDefaults = {
  logLevel: "Info",
  metrics: "off",
  /** Bytes of the largest file that a catalog keeps itself. */
  largestContent: 64 * kibibyte,
} as const
