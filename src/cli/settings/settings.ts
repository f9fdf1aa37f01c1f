import {
  type Acl,
  envName,
  formatByteSize,
  type LogFormat,
  type LogLevel,
  names,
  type Outcome,
} from "../../protocol.ts"
import { parseClamdAddress } from "../../schema/clamd-address.ts"
import { findUrlMistake, isBadPort } from "../../schema/http-url.ts"
import { ingestDefaults as defaults, otherIngestDefaults as otherDefaults } from "../../schema/ingest-defaults.ts"
import { nameDatabase, parseDatabaseUrl } from "./database-url.ts"
import {
  accept,
  byteSize,
  choice,
  duration,
  durations,
  isTrue,
  orElse,
  refuse,
  type Setting,
  text,
  wholeNumber,
} from "./setting-kinds.ts"

/** Reads an absolute URL of a web server. */
export const parseHttpUrl = (value: string): Outcome<string> =>
  /^https?:$/.test(URL.parse(value)?.protocol ?? "")
    ? accept(value)
    : refuse(`Expected a URL like http://localhost:3000${names.adapterPath}.`)

const badPort = (port: number | string): string =>
  `Expected another port: browsers and apps refuse to talk to port ${port}, which belongs to another protocol.`

const anyPort = wholeNumber("0 takes any free one", 0, 65_535)

/** The port to listen on. */
const port: Setting<number> = {
  ...anyPort,
  parse: (value) => {
    const parsed = anyPort.parse(value)
    // 0 is any free one.
    return parsed.ok && parsed.value > 0 && isBadPort(parsed.value) ? refuse(badPort(parsed.value)) : parsed
  },
}

/** Reads a base URL, which may contain `{region}`; a slash at its end is removed. */
export const parseBaseUrl = (value: string): Outcome<string> => {
  const url = URL.parse(value.replaceAll("{region}", "region"))
  if (url === null || !/^https?:$/.test(url.protocol)) return refuse("Expected a URL like http://localhost:4790.")
  if (url.search !== "" || url.hash !== "" || url.username + url.password !== "") {
    return refuse("Expected a URL without query, fragment and user name.")
  }
  if (url.port !== "" && isBadPort(Number(url.port))) return refuse(badPort(url.port))
  return accept(value.replace(/\/+$/, ""))
}

const url: Setting<string> = {
  argument: "<url>",
  description: "how apps and browsers reach it (default: where it listens)",
  parse: parseBaseUrl,
}

const databaseUrl: Setting<string> = {
  argument: "<url>",
  description: "PostgreSQL with the catalog (default: in data)",
  parse: parseDatabaseUrl,
  show: nameDatabase,
  isSecret: true,
}

const databaseSchema: Setting<string> = {
  argument: "<name>",
  description: "schema of its tables",
  parse: (value) =>
    /^[\w -]{1,50}$/.test(value)
      ? accept(value)
      : refuse("Expected at most 50 letters, digits, underscores, hyphens and spaces."),
}

const store: Setting<string> = {
  argument: "<file>",
  description: "module that opens another store (default: disk)",
  parse: text("", "", "").parse,
}

const s3Bucket: Setting<string> = {
  argument: "<name>",
  description: "S3 bucket that keeps the files (default: disk)",
  parse: (value) =>
    /^[\w.:-]{1,255}$/.test(value) ? accept(value) : refuse("Expected the name of a bucket, without s3:// and path."),
}

const s3Endpoint: Setting<string> = {
  argument: "<url>",
  description: "where that bucket is, without its name (default: AWS in s3Region)",
  parse: parseBaseUrl,
}

const s3Prefix: Setting<string> = {
  argument: "<prefix>",
  description: "what the names of all its objects begin with (default: nothing)",
  parse: (value) =>
    /^[\w.-]+(\/[\w.-]+)*\/?$/.test(value) && !value.split("/").some((part) => /^\.\.?$/.test(part))
      ? accept(value.endsWith("/") ? value : `${value}/`)
      : refuse("Expected a path like uploads/ of letters, digits, dots, underscores and hyphens."),
}

const scanClamd: Setting<string> = {
  argument: "<address>",
  description: "clamd that checks held files: unix:<path> or tcp://<host>:<port> (default: none)",
  parse: (value) => {
    const address = parseClamdAddress(value)
    return address.ok ? accept(value) : address
  },
}

const scanUrl: Setting<string> = {
  argument: "<url>",
  description: `scanner of your own that checks held files; its secret is ${envName("scanSecret")} (default: none)`,
  parse: (value) => {
    const mistake = findUrlMistake(value)
    return mistake === undefined ? accept(value) : refuse(`${mistake}.`)
  },
  // Some services have a key in the query.
  show: (value) => value.replace(/\?[^#]*/, "?…"),
}

const scanIngestUrl: Setting<string> = {
  argument: "<url>",
  description: "where that scanner reaches the ingest (default: its public URL)",
  parse: parseBaseUrl,
}

/**
 * All settings of an ingest that runs from the command line. A line here is a flag (`--log-level`), a variable
 * (`SLUICE_LOG_LEVEL`) and a field of the configuration file (`logLevel`). Those that `createIngest` has under the
 * same name are passed on unchanged.
 */
export const ingestSettings = {
  port: orElse(port, "4790"),
  host: text("<address>", "0.0.0.0: for other machines", "127.0.0.1"),
  data: text("<folder>", "files, catalog and token", `.${names.word}`),
  databaseUrl,
  databaseSchema: orElse(databaseSchema, "sluice"),
  store,
  s3Bucket,
  s3Endpoint,
  s3Region: text("<region>", "what requests to the bucket are signed for", "us-east-1"),
  s3Prefix,
  s3Addressing: orElse(
    choice<"path" | "virtual-host">("<where>", "where the bucket's name stands in URLs", ["path", "virtual-host"]),
    "path",
  ),
  url,
  defaultAcl: orElse(
    choice<Acl>("<acl>", "who may read files where their route does not say", ["public-read", "private"]),
    defaults.defaultAcl,
  ),
  defaultCache: orElse(
    choice<"revalidate" | "immutable">(
      "<rule>",
      "how long caches may keep public files where their route does not say",
      ["revalidate", "immutable"],
    ),
    defaults.defaultCache,
  ),
  reads: orElse(
    choice<"proxy" | "redirect">("<how>", "who sends files that are read: the ingest, or its bucket by a redirect", [
      "proxy",
      "redirect",
    ]),
    defaults.reads,
  ),
  hash: orElse(isTrue("whether the SHA-256 of every file is computed"), String(defaults.hash)),
  directHash: orElse(
    choice<"none" | "read">(
      "<rule>",
      "what becomes of the SHA-256 of files whose bytes went straight to the bucket: none, or read them again",
      ["none", "read"],
    ),
    defaults.directHash,
  ),
  callbackWait: duration("how long a PUT waits for the app's answer", defaults.callbackWait),
  callbackTimeout: duration("how long the app may take to answer a callback", defaults.callbackTimeout),
  callbackRetries: durations("delays before each repeated callback", defaults.callbackRetries),
  maxConcurrentCallbacks: orElse(
    wholeNumber("callbacks sent at the same time, of all apps", 1, 100_000),
    String(defaults.maxConcurrentCallbacks),
  ),
  callbackNetworks: orElse(
    choice<"public" | "any">("<which>", "where callbacks of apps other than its own may go", ["public", "any"]),
    defaults.callbackNetworks,
  ),
  heartbeat: duration("silence on a development stream before an empty line", defaults.heartbeat),
  maxDevStreams: orElse(
    wholeNumber("development streams open at the same time, of all apps", 1, 100_000),
    String(defaults.maxDevStreams),
  ),
  sweepInterval: duration("how often abandoned uploads are looked for", defaults.sweepInterval),
  largestContent: orElse(
    byteSize("files up to this size are kept in the catalog itself, 0 none"),
    formatByteSize(otherDefaults.largestContent),
  ),
  maxFileSize: byteSize("the largest file that is accepted (default: any)"),
  largestAppend: byteSize(
    "the most that clients send in one body, for a proxy in front; 64KB or more (default: whole files)",
  ),
  quota: byteSize("what the app's files may take (default: no limit)"),
  maxConcurrentUploads: orElse(
    wholeNumber("files sent at the same time", 1, 1_000_000),
    String(defaults.maxConcurrentUploads),
  ),
  maxExpectedFiles: orElse(
    wholeNumber("files registered and not uploaded", 1, 1_000_000_000),
    String(defaults.maxExpectedFiles),
  ),
  maxExpectedBytes: orElse(
    byteSize("how much the catalog keeps of those, with their metadata"),
    formatByteSize(defaults.maxExpectedBytes),
  ),
  minimumRate: orElse(
    byteSize("bytes per second below which an upload is cut off, 0 never"),
    formatByteSize(defaults.minimumRate),
  ),
  minimumRateWindow: duration("over how long that is measured", defaults.minimumRateWindow),
  maxConcurrentReads: orElse(
    wholeNumber("files sent to clients at the same time", 1, 1_000_000),
    String(defaults.maxConcurrentReads),
  ),
  minimumReadRate: orElse(
    byteSize("bytes per second below which a reader is cut off, 0 never"),
    formatByteSize(defaults.minimumReadRate),
  ),
  minimumReadRateWindow: duration("over how long that is measured", defaults.minimumReadRateWindow),
  bodyTimeout: duration("how long the app's small messages may take to arrive", defaults.bodyTimeout),
  minimumFree: orElse(
    byteSize("room kept free on disk; with less, new uploads are refused"),
    formatByteSize(defaults.minimumFree),
  ),
  unfinishedTtl: duration("how long past its expiry an unfinished upload is kept", defaults.unfinishedTtl),
  unregisteredTtl: duration("how long a file that no app has registered is kept", defaults.unregisteredTtl),
  historyTtl: duration(
    "how long failed uploads, attempts at callbacks and ended events of endpoints stay known",
    defaults.historyTtl,
  ),
  scanClamd,
  scanUrl,
  scanIngestUrl,
  scanTimeout: duration("how long the scanner may take for one file", defaults.scanTimeout),
  maxConcurrentScans: orElse(
    wholeNumber("files checked at the same time, of all apps", 1, 1000),
    String(defaults.maxConcurrentScans),
  ),
  metrics: orElse(choice<"off" | "open">("<who>", "who may read /metrics", ["off", "open"]), otherDefaults.metrics),
  logLevel: orElse(
    choice<LogLevel>("<level>", "how much is logged", [
      "All",
      "Trace",
      "Debug",
      "Info",
      "Warning",
      "Error",
      "Fatal",
      "None",
    ]),
    otherDefaults.logLevel,
  ),
  logFormat: choice<LogFormat>("<format>", "for people or machines", ["text", "json"]),
  logTime: isTrue(
    "whether lines of a log in text begin with the time (default: yes, unless a journal adds it; under sluice dev only the time of day)",
  ),
} as const satisfies Record<string, Setting<unknown>>

/** Variables of an ingest other than its settings. */
export const otherVariables = [
  "config",
  "metricsToken",
  "scanSecret",
  "s3AccessKeyId",
  "s3SecretAccessKey",
  "s3SessionToken",
] as const

/** Names of settings. */
export type SettingName = keyof typeof ingestSettings

/** The values of the settings; those without a default may be absent. Durations in ms, sizes in bytes. */
export type SettingValues<Names extends SettingName = SettingName> = {
  readonly [Name in Names]: (typeof ingestSettings)[Name] extends Setting<infer A>
    ? (typeof ingestSettings)[Name] extends { readonly initial: string }
      ? A
      : A | undefined
    : never
}
