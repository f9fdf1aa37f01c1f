import fc from "fast-check"
import { expect, it } from "vitest"
import { parseByteSize } from "../../src/protocol/byte-size.ts"
import { parseDuration } from "../../src/protocol/duration.ts"

it.each([
  [1, 1000],
  [90, 90_000],
  [0.5, 500],
  ["90", 90_000],
  ["1s", 1000],
  ["1 second", 1000],
  ["30 seconds", 30_000],
  ["30 minutes", 1_800_000],
  ["30m", 1_800_000],
  ["1.5h", 5_400_000],
  ["2 hours", 7_200_000],
  ["7d", 604_800_000],
  ["1 day", 86_400_000],
  ["1 DAY", 86_400_000],
  [" 2h ", 7_200_000],
  ["0.001s", 1],
])("%j is %d ms", (duration, ms) => {
  expect(parseDuration(duration)).toEqual({ ok: true, value: ms })
})

it.each([
  "",
  " ",
  "0",
  "0s",
  0,
  -0,
  -1,
  "-1h",
  "+1h",
  "h",
  "1 h 30 m",
  "1h30m",
  "1ms",
  "1 week",
  "1 month",
  "1M 1",
  "1,5h",
  ".5h",
  "1.h",
  "1e3",
  1e21,
  Number.NaN,
  Number.POSITIVE_INFINITY,
  "Infinity",
  "NaN",
  0.0001,
  "0.0001s",
  "999999999999999d",
  "١h",
  "P1D",
  "1h\0",
])("%j is no duration, and the refusal says how to write one", (duration) => {
  expect(parseDuration(duration)).toEqual({
    ok: false,
    code: "INVALID_CONFIG",
    detail: `${JSON.stringify(duration)} is not a duration. Write seconds or e.g. "30 minutes", "2 hours".`,
  })
})

it("never throws, and gives whole positive ms only", () => {
  fc.assert(
    fc.property(fc.oneof(fc.string(), fc.double(), fc.stringMatching(/^\d+(\.\d+)? ?[smhd]?$/)), (duration) => {
      const outcome = parseDuration(duration)
      if (outcome.ok) expect(Number.isSafeInteger(outcome.value) && outcome.value > 0).toBe(true)
      else expect(outcome.code).toBe("INVALID_CONFIG")
    }),
  )
})

it("quotes of a text that is none no more than its beginning: it may be a client's", () => {
  const long = "x".repeat(1_000_000)
  for (const read of [parseDuration, parseByteSize]) {
    const refused = read(long)
    expect(!refused.ok && refused.detail).toMatch(/^"x{99} is not a/)
  }
})
