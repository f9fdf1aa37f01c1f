import * as Schema from "effect/Schema"
import { type LogFormat, logFormats, type LogLevel, logLevels } from "../protocol/log-level.ts"
import { HttpUrl } from "./http-url.ts"

/** What every part of an app is told, by its options or the environment. */
export interface AppConfiguration {
  readonly token?: string | undefined
  readonly ingestUrl?: string | undefined
  readonly logLevel?: LogLevel | undefined
  readonly logFormat?: LogFormat | undefined
}

/** A field that may be missing or undefined. */
export const optional = <S extends Schema.Constraint>(schema: S) => Schema.optionalKey(Schema.UndefinedOr(schema))

/** The fields of {@link AppConfiguration}. Source: docs/protocol.md §1, §2. */
export const appOptions = {
  token: optional(Schema.String),
  ingestUrl: optional(HttpUrl),
  logLevel: optional(Schema.Literals(logLevels)),
  logFormat: optional(Schema.Literals(logFormats)),
}
