import {
  type Acl,
  type LogFormat,
  type LogLevel,
  names,
  type Outcome,
  parseByteSize,
  parseDuration,
} from "../../protocol.ts"

/** One setting of an ingest: its flag, its variable and its field in the configuration file all come from here. */
export interface Setting<A> {
  /** What stands for the value in the help. */
  readonly argument: string
  readonly description: string
  /** Fails: as a value; the detail says what is allowed. */
  readonly parse: (text: string) => Outcome<A>
  /** As people write it; undefined: the description says what counts then. */
  readonly initial?: string
}

const accept = <A>(value: A): Outcome<A> => ({ ok: true, value })
const refuse = (detail: string): Outcome<never> => ({ ok: false, code: "INVALID_CONFIG", detail })

const text = (argument: string, description: string, initial: string): Setting<string> & { initial: string } => ({
  argument,
  description,
  initial,
  parse: (value) => (value.trim() === "" ? refuse("Expected a text that is not empty.") : accept(value)),
})

const duration = (description: string, initial: string): Setting<number> & { initial: string } => ({
  argument: "<duration>",
  description,
  initial,
  parse: parseDuration,
})

const durations = (
  description: string,
  initial: string,
): Setting<ReadonlyArray<number>> & { readonly initial: string } => ({
  argument: "<durations>",
  description,
  initial,
  parse: (value) => {
    const parsed = value.split(",").map(parseDuration)
    return parsed.find((one) => !one.ok) ?? accept(parsed.flatMap((one) => (one.ok ? [one.value] : [])))
  },
})

const choice = <A extends string>(argument: string, description: string, choices: ReadonlyArray<A>): Setting<A> => ({
  argument,
  description: `${description}: ${choices.join(", ")}`,
  parse: (value) => {
    const found = choices.find((one) => one === value)
    return found === undefined ? refuse(`Expected one of ${choices.join(", ")}.`) : accept(found)
  },
})

const byteSize = (description: string): Setting<number> => ({
  argument: "<size>",
  description,
  parse: (value) => parseByteSize(/^\d+$/.test(value) ? Number(value) : value),
})

const wholeNumber = (description: string, least: number, most: number): Setting<number> => ({
  argument: "<number>",
  description,
  parse: (value) =>
    /^\d{1,15}$/.test(value) && Number(value) >= least && Number(value) <= most
      ? accept(Number(value))
      : refuse(`Expected a whole number from ${least} to ${most}.`),
})

const isTrue = (description: string): Setting<boolean> => ({
  argument: "<true|false>",
  description,
  parse: (value) => (/^(true|false)$/.test(value) ? accept(value === "true") : refuse("Expected true or false.")),
})

const flag = (description: string, initial: "true" | "false"): Setting<boolean> & { initial: string } => ({
  ...isTrue(description),
  initial,
})

/** Reads an absolute URL of a web server. */
export const parseHttpUrl = (value: string): Outcome<string> =>
  /^https?:$/.test(URL.parse(value)?.protocol ?? "")
    ? accept(value)
    : refuse(`Expected a URL like http://localhost:3000${names.adapterPath}.`)

/** Reads a base URL, which may hold `{region}`; a slash at its end goes. */
export const parseBaseUrl = (value: string): Outcome<string> => {
  const url = URL.parse(value.replaceAll("{region}", "region"))
  if (url === null || !/^https?:$/.test(url.protocol)) return refuse("Expected a URL like http://localhost:4790.")
  if (url.search !== "" || url.hash !== "" || url.username + url.password !== "") {
    return refuse("Expected a URL without query, fragment and user name.")
  }
  return accept(value.replace(/\/+$/, ""))
}

const url: Setting<string> = {
  argument: "<url>",
  description: "how apps and browsers reach it (default: http://localhost:<port>)",
  parse: parseBaseUrl,
}

/**
 * Everything that can be set about an ingest that runs from the command line. A line here is a flag (`--log-level`), a
 * variable (`SLUICE_LOG_LEVEL`) and a field of the configuration file (`logLevel`). Those that `createIngest` knows by
 * the same name are handed to it as they are.
 */
export const ingestSettings = {
  port: { ...wholeNumber("0 takes any free one", 0, 65_535), initial: "4790" },
  host: text("<address>", "0.0.0.0 opens it to other machines", "127.0.0.1"),
  data: text("<folder>", "files, catalog and token", `.${names.word}`),
  url,
  defaultAcl: {
    ...choice<Acl>("<acl>", "who may read files whose route says nothing", ["public-read", "private"]),
    initial: "public-read",
  },
  hash: flag("whether SHA-256 is worked out of every file", "true"),
  callbackWait: duration("how long a PUT waits for the app's answer", "30 seconds"),
  callbackTimeout: duration("how long the app may take to answer a callback", "30 seconds"),
  callbackRetries: durations("delays before each repeated callback", "5s, 30s, 2m, 10m, 1h, 6h, 1d"),
  maxConcurrentCallbacks: { ...wholeNumber("callbacks under way at once, of all apps", 1, 100_000), initial: "256" },
  callbackNetworks: {
    ...choice<"public" | "any">("<which>", "where callbacks of apps other than its own may go", ["public", "any"]),
    initial: "public",
  },
  heartbeat: duration("silence on a development stream before an empty line", "15 seconds"),
  maxDevStreams: {
    ...wholeNumber("development streams open at the same time, of all apps", 1, 100_000),
    initial: "1000",
  },
  sweepInterval: duration("how often abandoned uploads are looked for", "10 minutes"),
  largestContent: {
    ...byteSize("files up to this size are kept in the catalog itself, 0 none"),
    initial: "64KB",
  },
  maxFileSize: byteSize("the largest file that is taken (default: any)"),
  quota: byteSize("what the files of the app may take together (default: no limit)"),
  maxConcurrentUploads: { ...wholeNumber("files sent at the same time", 1, 1_000_000), initial: "5000" },
  maxExpectedFiles: { ...wholeNumber("files registered and not uploaded", 1, 1_000_000_000), initial: "1000000" },
  maxExpectedBytes: { ...byteSize("what the catalog keeps of those, with their metadata"), initial: "512MB" },
  minimumRate: { ...byteSize("bytes per second below which an upload is cut off, 0 never"), initial: "1KB" },
  minimumRateWindow: duration("over how long that is measured", "30 seconds"),
  maxConcurrentReads: { ...wholeNumber("files sent to clients at the same time", 1, 1_000_000), initial: "10000" },
  minimumReadRate: { ...byteSize("bytes per second below which a reader is cut off, 0 never"), initial: "1KB" },
  minimumReadRateWindow: duration("over how long that is measured", "1 minute"),
  bodyTimeout: duration("how long the app's small messages may take to arrive", "15 seconds"),
  minimumFree: { ...byteSize("room kept free on the disk; with less, new bytes are refused"), initial: "64MB" },
  unfinishedTtl: duration("how long past its expiry an unfinished upload is kept", "1 day"),
  unregisteredTtl: duration("how long a file is kept that no app ever registered", "1 day"),
  historyTtl: duration("how long failed uploads and attempts at callbacks stay known", "30 days"),
  metrics: { ...choice<"off" | "open">("<who>", "who may read /metrics", ["off", "open"]), initial: "off" },
  logLevel: {
    ...choice<LogLevel>("<level>", "how much is logged", [
      "All",
      "Trace",
      "Debug",
      "Info",
      "Warning",
      "Error",
      "Fatal",
      "None",
    ]),
    initial: "Info",
  },
  logFormat: choice<LogFormat>("<format>", "for people or machines", ["text", "json"]),
  logTime: isTrue(
    "whether lines of a log in text begin with the time (default: unless a journal notes it; under sluice dev that of the day)",
  ),
} as const satisfies Record<string, Setting<unknown>>

/** What variables say to an ingest that is no setting of it. */
export const otherVariables = ["config", "metricsToken"] as const

/** Names of settings. */
export type SettingName = keyof typeof ingestSettings

/** What the settings came to; those without a default may be absent. Durations in ms, sizes in bytes. */
export type SettingValues<Names extends SettingName = SettingName> = {
  readonly [Name in Names]: (typeof ingestSettings)[Name] extends Setting<infer A>
    ? (typeof ingestSettings)[Name] extends { readonly initial: string }
      ? A
      : A | undefined
    : never
}
