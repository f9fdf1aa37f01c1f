import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { LogFormat, LogLevel } from "../protocol/log-level.ts"
import { logLevels } from "../protocol/log-level.ts"
import { names } from "../protocol/names.ts"
import { redact } from "./redact.ts"

type Severity = Exclude<LogLevel, "All" | "None">

/**
 * A stack without its end, if that belongs to the runtime and other packages: the callers of the app's code are the
 * same every time.
 */
const shorten = (stack: string): string => {
  const lines = stack.split("\n")
  const isOwn = (line: string) => /^ +at /.test(line) && !/node:|[\\/]node_modules[\\/]|<anonymous>\)?$/.test(line)
  const last = lines.findLastIndex(isOwn)
  return last < 0 ? stack : lines.slice(0, last + 1).join("\n")
}

const unreadable = "[unreadable]"

/** An error with its stack, and the errors that caused it, at most five deep: causes may form a circle. What cannot be read is left out. */
const showError = (error: Error, depth = 5): string => {
  let text = unreadable
  try {
    text = typeof error.stack === "string" ? shorten(error.stack) : String(error)
    const { cause } = error
    if (cause === undefined || depth === 0) return text
    text += `\ncaused by: ${cause instanceof Error ? showError(cause, depth - 1) : show(cause)}`
  } catch {}
  return text
}

/** `[object Object]`; a proxy that was revoked has not even that. */
const toTag = (value: unknown): string => {
  try {
    return Object.prototype.toString.call(value)
  } catch {
    return unreadable
  }
}

const show = (value: unknown): string => {
  if (typeof value === "string") return value
  try {
    return value instanceof Error ? showError(value) : (JSON.stringify(value) ?? String(value))
  } catch {
    return typeof value === "bigint" ? String(value) : toTag(value)
  }
}

/** A value that JSON can hold: errors with their stack; values that JSON refuses (cycles, bigint) by their name. */
const toJsonValue = (value: unknown): unknown => {
  if (value === undefined) return undefined
  if (value instanceof Error) return show(value)
  try {
    // A function is written as text: as an attribute called `toJSON` it would write the entry itself.
    return JSON.stringify(value) === undefined ? show(value) : value
  } catch {
    return show(value)
  }
}

/**
 * Logged text may come from a client: it must not look like the end of an entry, move the cursor, or change the
 * direction of text.
 */
const escapeControls = (text: string): string =>
  text.replace(/[\p{Cc}\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu, (c) =>
    c === "\n" ? "\\n" : `\\u${c.charCodeAt(0).toString(16).padStart(4, "0")}`,
  )

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && Object.getPrototypeOf(value) === Object.prototype

/** Attributes as `key=value`, other values as they print. */
const showText = (value: unknown): string =>
  isRecord(value)
    ? Object.entries(value)
        .map(([key, entry]) => {
          const text = show(entry)
          return `${key}=${typeof entry === "string" && /[\s"=]/.test(text) ? JSON.stringify(text) : text}`
        })
        .join(" ")
    : show(value)

const sinks = { Fatal: "error", Error: "error", Warning: "warn", Info: "log", Debug: "debug", Trace: "debug" } as const

/** Writes an entry if the level allows it. Details: plain objects are attributes, errors keep their stack. */
export type Write = (severity: Severity, message: string, details: ReadonlyArray<unknown>) => void

/** Whether a log of this level takes entries of a severity. */
export const isLogged = (level: LogLevel, severity: Severity): boolean =>
  level === "All" || (level !== "None" && logLevels.indexOf(severity) <= logLevels.indexOf(level))

/** How lines of text begin: with the time, ISO 8601 in UTC; with the local time of day (`clock`); or without (`false`). */
export type LogTime = boolean | "clock"

const showTime = (how: LogTime): string => {
  const now = new Date()
  if (how === "clock") return `${now.toTimeString().slice(0, 8)} `
  return how ? `${now.toISOString()} ` : ""
}

const createWriter =
  (level: LogLevel, format: LogFormat, time: LogTime): Write =>
  (severity, message, details) => {
    if (!isLogged(level, severity)) return
    const line =
      format === "text"
        ? showTime(time) + toTextLine(severity, message, details)
        : toJsonLine(severity, message, details)
    console[sinks[severity]](redact(line))
  }

const toTextLine: (...entry: Parameters<Write>) => string = (severity, message, details) => {
  const stacks = details.filter((detail) => detail instanceof Error).flatMap((error) => showError(error).split("\n"))
  const others = details.filter((detail) => !(detail instanceof Error)).map(showText)
  return `[${names.word}] ${severity.toLowerCase()}: ${[[message, ...others].join(" "), ...stacks].map(escapeControls).join("\n    ")}`
}

const toJsonLine: (...entry: Parameters<Write>) => string = (severity, message, details) => {
  const fixed = {
    time: new Date().toISOString(),
    level: severity.toLowerCase(),
    service: names.word,
    message: [message, ...details.filter((detail) => !isRecord(detail) && !(detail instanceof Error)).map(show)].join(
      " ",
    ),
  }
  const attributes = Object.entries(Object.assign({}, ...details.filter(isRecord))).map(([key, value]) => [
    key,
    toJsonValue(value),
  ])
  const errors = details.filter((detail) => detail instanceof Error)
  // Twice: the first sets their position, the second keeps attributes from overriding them.
  return escapeControls(
    JSON.stringify({
      ...fixed,
      ...Object.fromEntries(attributes),
      ...fixed,
      ...(errors.length === 0 ? undefined : { cause: errors.map((error) => showError(error)).join("\n") }),
    }),
  )
}

/** Effect's own logging would add 4 kB gzip of formatters; this is the part of it that is needed. */
const CurrentWriter = Context.Reference<Write>(`${names.word}/server-kit/logging`, {
  defaultValue: () => createWriter("Warning", "text", false),
})

const log =
  (severity: Severity) =>
  (message: string, ...details: ReadonlyArray<unknown>): Effect.Effect<void> =>
    Effect.contextWith((context) => Effect.sync(() => Context.get(context, CurrentWriter)(severity, message, details)))

/** Somebody has to act. Details: plain objects are attributes, errors keep their stack. */
export const logError: (message: string, ...details: ReadonlyArray<unknown>) => Effect.Effect<void> = log("Error")

/** Something is wrong, but work continues. */
export const logWarning: (message: string, ...details: ReadonlyArray<unknown>) => Effect.Effect<void> = log("Warning")

/** Information for operators. */
export const logInfo: (message: string, ...details: ReadonlyArray<unknown>) => Effect.Effect<void> = log("Info")

/** Information for developers. */
export const logDebug: (message: string, ...details: ReadonlyArray<unknown>) => Effect.Effect<void> = log("Debug")

/**
 * The context with which effects log by these settings.
 *
 * @param time how lines of text begin; those of JSON always hold the time
 */
export const createLogContext = (level: LogLevel, format: LogFormat, time: LogTime = false): Context.Context<never> =>
  Context.make(CurrentWriter, createWriter(level, format, time))

/** Lets code outside of effects log by these settings. */
export const toWrite = (context: Context.Context<never>): Write => Context.get(context, CurrentWriter)
