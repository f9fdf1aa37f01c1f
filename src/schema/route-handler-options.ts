import * as Schema from "effect/Schema"
import { type LogFormat, logFormats, type LogLevel, logLevels } from "../protocol/log-level.ts"
import { HttpUrl } from "./http-url.ts"

/** The options of a route handler that the environment can give, strings and all. */
export interface RouteHandlerConfiguration {
  readonly token?: string | undefined
  readonly ingestUrl?: string | undefined
  readonly callbackUrl?: string | undefined
  readonly logLevel?: LogLevel | undefined
  readonly logFormat?: LogFormat | undefined
  readonly isDev?: boolean | "true" | "false" | "1" | "0" | undefined
  readonly trustProxy?: boolean | "true" | "false" | "1" | "0" | undefined
  readonly callbackTolerance?: number | string | undefined
}

const Flag = Schema.Union([Schema.Boolean, Schema.Literals(["true", "false", "1", "0"])])

const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.UndefinedOr(schema))

/** Source: docs/protocol.md §1, §2, §5. */
export const RouteHandlerConfigurationSchema: Schema.Codec<RouteHandlerConfiguration> = Schema.Struct({
  token: optional(Schema.String),
  ingestUrl: optional(HttpUrl),
  callbackUrl: optional(HttpUrl),
  logLevel: optional(Schema.Literals(logLevels)),
  logFormat: optional(Schema.Literals(logFormats)),
  isDev: optional(Flag),
  trustProxy: optional(Flag),
  callbackTolerance: optional(Schema.Union([Schema.Number, Schema.String])),
})

/** Reads a flag. */
export const isSet = (flag: boolean | string | undefined): boolean => flag === true || flag === "true" || flag === "1"
