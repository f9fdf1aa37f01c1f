import * as Effect from "effect/Effect"
import { toRejected, Rejected } from "../http/rejected.ts"
import { parseDuration } from "../protocol/duration.ts"
import { limits } from "../protocol/limits.ts"
import type { LogFormat, LogLevel } from "../protocol/log-level.ts"
import { envName } from "../protocol/names.ts"
import { createSigner, type Signer } from "../protocol/signature.ts"
import { parseToken, resolveIngestUrl } from "../protocol/token.ts"
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

/** What the token says, ready for use. */
export interface Credentials {
  /** Secret: for the one header that carries it. */
  readonly apiKey: string
  readonly appId: string
  readonly encodedAppId: string
  /** No slash at the end. */
  readonly ingestUrl: string
  readonly signer: Signer
}

type Environment = Readonly<Record<string, string | undefined>>

const environment = (): Environment => (globalThis as { process?: { env?: Environment } }).process?.env ?? {}

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

/** The options, and for those not given the environment; an empty variable counts as not given. */
const merge = (options: RouteHandlerConfiguration, env: Environment): Record<string, unknown> =>
  Object.fromEntries(
    keys.flatMap((key) => {
      const value = options[key] ?? (env[envName(key)] || undefined)
      return value === undefined ? [] : [[key, value]]
    }),
  )

/**
 * Reads the configuration: the options object wins over the environment.
 *
 * Fails: `Rejected`, code INVALID_CONFIG, naming the option.
 * Source: docs/protocol.md §1.
 */
export const loadSettings = Effect.fnUntraced(function* (options: RouteHandlerConfiguration) {
  const env = environment()
  const merged = merge(options, env)
  const configuration = yield* Effect.mapError(
    decode(merged),
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

/** sqids and its block list, 3 kB gzip, have one thing to do: it is loaded where and when that is done. */
const loadAppId = Effect.promise(() => import("../protocol/app-id.ts"))

/**
 * Reads the token and prepares what it is for: the key imported, the app id encoded.
 *
 * Fails:  `Rejected`, codes MISSING_TOKEN, INVALID_TOKEN, INVALID_CONFIG; never with the key in it.
 * Source: docs/protocol.md §2.
 */
export const loadCredentials = Effect.fnUntraced(function* (configuration: RouteHandlerConfiguration) {
  if (configuration.token === undefined) {
    return yield* new Rejected({
      code: "MISSING_TOKEN",
      detail: `No token: set the environment variable ${envName("token")} or the option \`token\`. \`sluice token\` makes one.`,
    })
  }
  const token = parseToken(configuration.token)
  if (!token.ok) return yield* toRejected(token)
  const ingestUrl = resolveIngestUrl(token.value, configuration.ingestUrl)
  if (!ingestUrl.ok) return yield* toRejected(ingestUrl)
  const { encodeAppId } = yield* loadAppId
  const credentials: Credentials = {
    apiKey: token.value.apiKey,
    appId: token.value.appId,
    encodedAppId: encodeAppId(token.value.appId),
    ingestUrl: ingestUrl.value,
    signer: createSigner(token.value.apiKey),
  }
  return credentials
})
