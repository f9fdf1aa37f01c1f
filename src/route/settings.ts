import * as Effect from "effect/Effect"
import { toRejected, Rejected } from "../server-kit/rejected.ts"
import { readCredentials } from "../protocol/signing/credentials.ts"
import { parseDuration } from "../protocol/duration.ts"
import { mergeEnvironment, readEnvironment } from "../protocol/environment.ts"
import { limits } from "../protocol/limits.ts"
import { envName } from "../protocol/names.ts"
import type { LogFormat, LogLevel } from "../protocol/log-level.ts"
import { createDecoder } from "../schema/decode.ts"
import {
  isSet,
  type RouteHandlerConfiguration,
  RouteHandlerConfigurationSchema,
} from "../schema/route-handler-options.ts"
import { checkKnown } from "./known-options.ts"

/** The settings that need no token. */
export interface Settings {
  readonly logLevel: LogLevel
  readonly logFormat: LogFormat
  readonly isDev: boolean
  /** Set by `NODE_ENV`. A handler can be in neither mode, or be told to be in development in production. */
  readonly isProduction: boolean
  /** Whether callers may see what is wrong with the set-up, because they are the app's own developers. */
  readonly isOpen: boolean
  readonly trustProxy: boolean
  readonly callbackUrl: string | undefined
  /** Matches the hosts that a request may name as the app's own. */
  readonly allowedHosts: RegExp | undefined
  /** ms. */
  readonly callbackTolerance: number
  /** ms. */
  readonly bodyTimeout: number
}

const keys = [
  "token",
  "ingestUrl",
  "callbackUrl",
  "allowedHosts",
  "logLevel",
  "logFormat",
  "isDev",
  "trustProxy",
  "callbackTolerance",
  "bodyTimeout",
] as const satisfies ReadonlyArray<keyof RouteHandlerConfiguration>

const what = "The route handler's options"

/** Whether `NODE_ENV` says that only developers use the app. If it is not set, this may be production. */
export const isOpen = (): boolean => /^(development|test)$/.test(readEnvironment()["NODE_ENV"] ?? "")

const decode = createDecoder(RouteHandlerConfigurationSchema)

const loadDuration = Effect.fnUntraced(function* (
  configuration: RouteHandlerConfiguration,
  name: "callbackTolerance" | "bodyTimeout",
  initial: number,
) {
  const given = configuration[name]
  if (given === undefined) return initial
  const parsed = parseDuration(given)
  return parsed.ok ? parsed.value : yield* new Rejected({ code: parsed.code, detail: `${name}: ${parsed.detail}` })
})

/** The code for a list of hosts is only loaded where one is given. */
const loadAllowedHosts = Effect.fnUntraced(function* (hosts: string | ReadonlyArray<string>) {
  const { parseAllowedHosts } = yield* Effect.promise(() => import("./allowed-hosts.ts"))
  const parsed = parseAllowedHosts(hosts)
  return parsed.ok ? parsed.value : yield* toRejected(parsed)
})

/**
 * Reads the configuration: the options object wins over the environment.
 *
 * Fails: `Rejected`, code INVALID_CONFIG, naming the option, its variable and its value.
 * Source: docs/protocol.md §1.
 */
export const loadSettings = (options: RouteHandlerConfiguration) =>
  Effect.catch(readSettings(options), ({ code, detail }) =>
    Effect.flatMap(
      Effect.promise(() => import("./explain-options.ts")),
      ({ explainOptions }) =>
        Effect.fail(new Rejected({ code, detail: explainOptions(detail, options, readEnvironment(), envName) })),
    ),
  )

const readSettings = Effect.fnUntraced(function* (options: RouteHandlerConfiguration) {
  const env = readEnvironment()
  yield* checkKnown(what, options, [...keys, "router", "waitUntil", "fetch"])
  const configuration = yield* Effect.mapError(
    decode(mergeEnvironment(options, keys, env)),
    (detail) => new Rejected({ code: "INVALID_CONFIG", detail: `${what}: ${detail}` }),
  )
  const allowedHosts =
    configuration.allowedHosts === undefined ? undefined : yield* loadAllowedHosts(configuration.allowedHosts)
  const isDev = configuration.isDev === undefined ? env["NODE_ENV"] === "development" : isSet(configuration.isDev)
  const settings: Settings = {
    logLevel: configuration.logLevel ?? (isDev ? "Info" : "Warning"),
    logFormat: configuration.logFormat ?? (isDev ? "text" : "json"),
    isDev,
    isProduction: env["NODE_ENV"] === "production",
    isOpen: isDev || isOpen(),
    trustProxy: isSet(configuration.trustProxy),
    callbackUrl: configuration.callbackUrl,
    allowedHosts,
    callbackTolerance: yield* loadDuration(configuration, "callbackTolerance", limits.callbackTolerance),
    bodyTimeout: yield* loadDuration(configuration, "bodyTimeout", limits.requestBodyTimeout),
  }
  return { settings, configuration }
})

/** Reads the token. Fails: `Rejected`, as {@link readCredentials} does. */
export const loadCredentials = Effect.fnUntraced(function* (configuration: RouteHandlerConfiguration) {
  const credentials = yield* Effect.promise(() => readCredentials(configuration))
  return credentials.ok ? credentials.value : yield* toRejected(credentials)
})
