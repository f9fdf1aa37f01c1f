import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Logger from "effect/Logger"
import type * as EffectLogLevel from "effect/LogLevel"
import * as References from "effect/References"
import type { LogFormat, LogLevel } from "../protocol/log-level.ts"
import { names } from "../protocol/names.ts"

/** Secrets that reached a log entry after all: API keys, tokens and signatures of URLs. The last line of defence. */
export const redact = (text: string): string =>
  text
    .replace(/\bsk_[\w-]+/g, "sk_<redacted>")
    .replace(/(signature["']?\s*[=:]\s*["']?)(?:hmac-sha256(?:=|%3D))?[0-9a-f]{16,}/gi, "$1<redacted>")
    .replace(/\bhmac-sha256(=|%3D)[0-9a-f]+/gi, "hmac-sha256$1<redacted>")
    .replace(/\beyJ[A-Za-z0-9+/_-]{40,}=*/g, "<redacted>")

const show = (value: unknown): string => {
  if (typeof value === "string") return value
  if (value instanceof Error) return value.stack ?? String(value)
  try {
    return JSON.stringify(value) ?? String(value)
  } catch {
    return String(value)
  }
}

/** Attributes as `key=value`, other values as they print. */
const showText = (value: unknown): string =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype
    ? Object.entries(value)
        .map(([key, entry]) => `${key}=${show(entry)}`)
        .join(" ")
    : show(value)

const sinks = { Fatal: "error", Error: "error", Warn: "warn", Info: "log", Debug: "debug", Trace: "debug" } as const

const createLogger = (format: LogFormat) =>
  Logger.make<unknown, void>(({ message, logLevel, date, cause }) => {
    const parts = Array.isArray(message) ? message : [message]
    const trouble = cause.reasons.length === 0 ? undefined : Cause.pretty(cause)
    const level = logLevel.toLowerCase()
    const line =
      format === "json"
        ? JSON.stringify({
            time: date.toISOString(),
            level,
            service: names.word,
            message: parts.filter((part) => typeof part === "string").join(" "),
            ...Object.assign({}, ...parts.filter((part) => typeof part === "object")),
            ...(trouble === undefined ? undefined : { cause: trouble }),
          })
        : `[${names.word}] ${level}: ${parts.map(showText).join(" ")}${trouble === undefined ? "" : `\n${trouble}`}`
    console[sinks[logLevel as keyof typeof sinks] ?? "log"](redact(line))
  })

/** What effects need to log by these settings; merged into the context they run with. */
export const createLogContext = (level: LogLevel, format: LogFormat): Context.Context<never> =>
  Context.make(References.MinimumLogLevel, (level === "Warning" ? "Warn" : level) as EffectLogLevel.LogLevel).pipe(
    Context.add(Logger.CurrentLoggers, new Set([createLogger(format)])),
  )
