import * as Effect from "effect/Effect"
import { createNodeFetch } from "../http/node-fetch.ts"
import { createLogContext, toWrite, type Write } from "../server-kit/logging.ts"
import type { Fetch } from "../transfer/reply.ts"
import { type Credentials, readCredentials } from "../protocol/signing/credentials.ts"
import { mergeEnvironment, readEnvironment } from "../protocol/environment.ts"
import { UploadError } from "../protocol/errors/upload-error.ts"
import { createDecoder } from "../schema/decode.ts"
import {
  type KeyType,
  type ServerApiConfiguration,
  ServerApiConfigurationSchema,
} from "../schema/server-api-options.ts"
import { checkOptions } from "./check-options.ts"

/**
 * The configuration of the server API. Everything except `fetch` may come from the environment: `logLevel` is
 * `SLUICE_LOG_LEVEL`.
 */
export interface SluiceApiOptions extends ServerApiConfiguration {
  /** By default `globalThis.fetch`, or `node:http` where that is Node's own. */
  readonly fetch?: typeof globalThis.fetch | undefined
}

/** Everything about the app that is needed for longer than one call; made once. */
export interface ApiSettings extends Credentials {
  readonly defaultKeyType: KeyType
  readonly fetch: Fetch
  readonly log: Write
}

const keys = ["token", "ingestUrl", "logLevel", "logFormat", "defaultKeyType"] as const satisfies ReadonlyArray<
  keyof ServerApiConfiguration
>

const decode = createDecoder(ServerApiConfigurationSchema)

/**
 * Reads the configuration: the options object wins over the environment.
 *
 * Fails:  rejects with an UploadError, codes MISSING_TOKEN, INVALID_TOKEN, INVALID_CONFIG; never with the key in it.
 * Source: docs/protocol.md §1, §2.
 */
export const loadApiSettings = async (options: SluiceApiOptions): Promise<ApiSettings> => {
  checkOptions("The options of SluiceApi", options, [...keys, "fetch"])
  const env = readEnvironment()
  const configuration = await Effect.runPromise(
    Effect.mapError(
      decode(mergeEnvironment(options, keys, env)),
      (detail) => new UploadError({ code: "INVALID_CONFIG", message: `The options of SluiceApi: ${detail}` }),
    ),
  )
  const credentials = await readCredentials(configuration)
  if (!credentials.ok) throw new UploadError({ code: credentials.code, message: credentials.detail })
  const isDev = env["NODE_ENV"] === "development"
  const { logLevel = isDev ? "Info" : "Warning", logFormat = isDev ? "text" : "json" } = configuration
  return {
    ...credentials.value,
    defaultKeyType: configuration.defaultKeyType ?? "fileKey",
    fetch: options.fetch ?? createNodeFetch(),
    log: toWrite(createLogContext(logLevel, logFormat)),
  }
}
