import * as Schema from "effect/Schema"
import { type AppConfiguration, appOptions, optional } from "./app-options.ts"
import { HttpUrl } from "./http-url.ts"

/** The options of a route handler that the environment can give, strings and all. */
export interface RouteHandlerConfiguration extends AppConfiguration {
  readonly callbackUrl?: string | undefined
  readonly isDev?: boolean | "true" | "false" | "1" | "0" | undefined
  readonly trustProxy?: boolean | "true" | "false" | "1" | "0" | undefined
  readonly callbackTolerance?: number | string | undefined
}

const Flag = Schema.Union([Schema.Boolean, Schema.Literals(["true", "false", "1", "0"])])

/** Source: docs/protocol.md §1, §2, §5. */
export const RouteHandlerConfigurationSchema: Schema.Codec<RouteHandlerConfiguration> = Schema.Struct({
  ...appOptions,
  callbackUrl: optional(HttpUrl),
  isDev: optional(Flag),
  trustProxy: optional(Flag),
  callbackTolerance: optional(Schema.Union([Schema.Number, Schema.String])),
})

/** Reads a flag. */
export const isSet = (flag: boolean | string | undefined): boolean => flag === true || flag === "true" || flag === "1"
