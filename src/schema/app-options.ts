import * as Schema from "effect/Schema"
import { type LogFormat, logFormats, type LogLevel, logLevels } from "../protocol/log-level.ts"
import { HttpUrl } from "./http-url.ts"

/** Configuration for every part of an app, from its options or the environment. */
export interface AppConfiguration {
  /** The token of the app, which holds its secret key: `SLUICE_TOKEN`. Made by `sluice token` or `sluice apps create`. */
  readonly token?: string | undefined
  /** The ingest's public URL if it differs from the one in the token: `SLUICE_INGEST_URL`. */
  readonly ingestUrl?: string | undefined
  /**
   * The lowest level that is logged: `SLUICE_LOG_LEVEL`. Default `Info` in development, otherwise `Warning`; `None`
   * logs nothing.
   */
  readonly logLevel?: LogLevel | undefined
  /** `text` for people, `json` for collectors: `SLUICE_LOG_FORMAT`. Default `text` in development, otherwise `json`. */
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
