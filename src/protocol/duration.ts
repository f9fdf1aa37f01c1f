import { accept, type Outcome, refuse } from "./errors/outcome.ts"

type DurationUnit =
  "second" | "seconds" | "minute" | "minutes" | "hour" | "hours" | "day" | "days" | "s" | "m" | "h" | "d"

/** A length of time as people write it, `"30 minutes"`, `"2h"`; a bare number is seconds. */
export type DurationInput = number | `${number} ${DurationUnit}` | `${number}${DurationUnit}`

/** Long enough for anything, short enough to be added to a date. */
const longest = 100 * 366 * 86_400_000

const milliseconds: Record<string, number> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/**
 * Milliseconds of a duration: `"30 minutes"` → 1,800,000; `90` → 90,000.
 *
 * Fails:  as a value, code INVALID_CONFIG; zero, negative durations and more than a century are refused.
 * Source: docs/protocol.md §4 (`presignedUrlTtl`).
 */
export const parseDuration = (duration: string | number): Outcome<number> => {
  const match = /^(\d{1,15}(?:\.\d{1,15})?)\s*(s|m|h|d|seconds?|minutes?|hours?|days?)?$/i.exec(String(duration).trim())
  const ms = match && Math.floor(Number(match[1]) * milliseconds[(match[2] ?? "s")[0]!.toLowerCase()]!)
  return ms !== null && ms > 0 && ms <= longest
    ? accept(ms)
    : refuse(
        "INVALID_CONFIG",
        `${JSON.stringify(duration)?.slice(0, 100)} is not a duration. Write seconds or e.g. "30 minutes", "2 hours".`,
      )
}
