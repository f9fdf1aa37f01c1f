import * as Effect from "effect/Effect"
import { toRejected, Rejected } from "../http/rejected.ts"
import { readCredentials } from "../protocol/credentials.ts"
import { parseDuration } from "../protocol/duration.ts"
import { mergeEnvironment, readEnvironment } from "../protocol/environment.ts"
import { limits } from "../protocol/limits.ts"
import type { LogFormat, LogLevel } from "../protocol/log-level.ts"
import { createDecoder } from "../schema/decode.ts"
import {
  isSet,
  type RouteHandlerConfiguration,
  RouteHandlerConfigurationSchema,
} from "../schema/route-handler-options.ts"

/** What needs no token. */
export interface Settings {
  readonly logLevel: LogLevel
  readonly logFormat: LogFormat
  readonly isDev: boolean
  /** `NODE_ENV` says so; a handler can be in neither, or told to be in development all the same. */
  readonly isProduction: boolean
  readonly trustProxy: boolean
  readonly callbackUrl: string | undefined
  /** ms. */
  readonly callbackTolerance: number
}

const keys = [
  "token",
  "ingestUrl",
  "callbackUrl",
  "logLevel",
  "logFormat",
  "isDev",
  "trustProxy",
  "callbackTolerance",
] as const satisfies ReadonlyArray<keyof RouteHandlerConfiguration>

const decode = createDecoder(RouteHandlerConfigurationSchema)

/**
 * Reads the configuration: the options object wins over the environment.
 *
 * Fails: `Rejected`, code INVALID_CONFIG, naming the option.
 * Source: docs/protocol.md §1.
 */
export const loadSettings = Effect.fnUntraced(function* (options: RouteHandlerConfiguration) {
  const env = readEnvironment()
  const configuration = yield* Effect.mapError(
    decode(mergeEnvironment(options, keys, env)),
    (detail) => new Rejected({ code: "INVALID_CONFIG", detail: `The route handler's options: ${detail}` }),
  )
  const tolerance =
    configuration.callbackTolerance === undefined
      ? ({ ok: true, value: limits.callbackTolerance } as const)
      : parseDuration(configuration.callbackTolerance)
  if (!tolerance.ok) {
    return yield* new Rejected({ code: tolerance.code, detail: `callbackTolerance: ${tolerance.detail}` })
  }
  const isDev = configuration.isDev === undefined ? env["NODE_ENV"] === "development" : isSet(configuration.isDev)
  const settings: Settings = {
    logLevel: configuration.logLevel ?? (isDev ? "Info" : "Warning"),
    logFormat: configuration.logFormat ?? (isDev ? "text" : "json"),
    isDev,
    isProduction: env["NODE_ENV"] === "production",
    trustProxy: isSet(configuration.trustProxy),
    callbackUrl: configuration.callbackUrl,
    callbackTolerance: tolerance.value,
  }
  return { settings, configuration }
})

/** Reads the token. Fails: `Rejected`, as {@link readCredentials} does. */
export const loadCredentials = Effect.fnUntraced(function* (configuration: RouteHandlerConfiguration) {
  const credentials = yield* Effect.promise(() => readCredentials(configuration))
  return credentials.ok ? credentials.value : yield* toRejected(credentials)
})
