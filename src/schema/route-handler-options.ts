import * as Schema from "effect/Schema"
import { type AppConfiguration, appOptions, optional } from "./app-options.ts"
import { HttpUrl } from "./http-url.ts"

/** The options of a route handler that can also come from the environment, where they are strings. */
export interface RouteHandlerConfiguration extends AppConfiguration {
  readonly callbackUrl?: string | undefined
  readonly allowedHosts?: string | ReadonlyArray<string> | undefined
  readonly isDev?: boolean | "true" | "false" | "1" | "0" | undefined
  readonly trustProxy?: boolean | "true" | "false" | "1" | "0" | undefined
  /** How old a callback may be, as ms or `"5 minutes"`, which is the default: `SLUICE_CALLBACK_TOLERANCE`. */
  readonly callbackTolerance?: number | string | undefined
  /** How long the body of a request may take to arrive, as ms or `"1 minute"`, which is the default: `SLUICE_BODY_TIMEOUT`. */
  readonly bodyTimeout?: number | string | undefined
}

const Flag = Schema.Union([Schema.Boolean, Schema.Literals(["true", "false", "1", "0"])])

const Time = Schema.Union([Schema.Number, Schema.String])

/** The fields of {@link RouteHandlerConfiguration}. Source: docs/protocol.md §1, §2, §5. */
export const routeHandlerOptions = {
  ...appOptions,
  callbackUrl: optional(HttpUrl),
  allowedHosts: optional(Schema.Union([Schema.String, Schema.Array(Schema.String)])),
  isDev: optional(Flag),
  trustProxy: optional(Flag),
  callbackTolerance: optional(Time),
  bodyTimeout: optional(Time),
}

export const RouteHandlerConfigurationSchema: Schema.Codec<RouteHandlerConfiguration> =
  Schema.Struct(routeHandlerOptions)

/** Reads a flag. */
export const isSet = (flag: boolean | string | undefined): boolean => flag === true || flag === "true" || flag === "1"
