import { describe, expect, it } from "vitest"
import { judgeFailure } from "../../../src/ingest/delivery/retry-schedule.ts"
import { PostFailed } from "../../../src/server-kit/post-json.ts"

const now = Date.parse("2026-03-01T12:00:00Z")
const minute = 60_000

/** How long after a failure with these headers the next attempt is made, ms; the schedule says one second. */
const waitAfter = (status: number, headers: Record<string, string>, retries = [1000]) => {
  const next = judgeFailure(
    new PostFailed({ reason: "status", status, headers: new Headers(headers) }),
    0,
    now,
    retries,
  )
  return next === "dead" ? next : next.retryAt - now
}

const between = (wait: number | "dead", least: number, most: number) => {
  expect(wait).toBeGreaterThanOrEqual(least)
  expect(wait).toBeLessThanOrEqual(most)
}

describe("retry-after of a callback's answer", () => {
  it.each([429, 503])("is waited for after a %i, and never cut short", (status) => {
    for (let i = 0; i < 20; i++) between(waitAfter(status, { "retry-after": "900" }), 15 * minute, 18 * minute)
  })

  it("is a date as well, by the clock of whoever sent it", () => {
    const at = (time: string) => new Date(time).toUTCString()
    between(waitAfter(429, { "retry-after": at("2026-03-01T12:10:00Z") }), 10 * minute, 12 * minute)
    const skewed = { date: at("2031-01-01T00:00:00Z"), "retry-after": at("2031-01-01T00:05:00Z") }
    between(waitAfter(503, skewed), 5 * minute, 6 * minute)
  })

  it.each(["999999999999", "1".repeat(400), "Fri, 31 Dec 9999 23:59:59 GMT"])("%s is an hour", (value) => {
    between(waitAfter(429, { "retry-after": value }), 60 * minute, 72 * minute)
  })

  it.each(["", "soon", "-5", "0", "Thu, 01 Jan 1970 00:00:00 GMT", "NaN", "0x10"])(
    "%j leaves the schedule as it is",
    (value) => {
      between(waitAfter(429, { "retry-after": value }), 800, 1200)
    },
  )

  it("shortens nothing, begins no further attempt, and is no matter of other answers", () => {
    between(waitAfter(429, { "retry-after": "1" }, [10 * minute]), 8 * minute, 12 * minute)
    expect(waitAfter(429, { "retry-after": "1" }, [])).toBe("dead")
    expect(waitAfter(410, { "retry-after": "1" })).toBe("dead")
    between(waitAfter(500, { "retry-after": "900" }), 800, 1200)
  })
})
