import { afterEach, beforeEach, expect, type MockInstance, vi } from "vitest"
import { secrets } from "./app-token.ts"

const methods = ["error", "warn", "log", "info", "debug", "trace"] as const

/** What a signature looks like, plain or percent-encoded. */
const signature = /hmac-sha256(?:=|%3D)[0-9a-f]{8}|v1,[A-Za-z0-9+/]{43}=/i

/**
 * Collects what the code under test writes to the console, and after each test holds every line of it against the
 * rules that have no exception: no secret, no signature, no request that the test did not expect.
 */
export const useConsoleLines = () => {
  let spies: ReadonlyArray<MockInstance> = []
  const lines: Array<{ readonly level: (typeof methods)[number]; readonly text: string }> = []
  beforeEach(() => {
    lines.length = 0
    spies = methods.map((level) =>
      vi.spyOn(console, level).mockImplementation((...args: ReadonlyArray<unknown>) => {
        lines.push({ level, text: args.map(String).join(" ") })
      }),
    )
  })
  afterEach(() => {
    for (const spy of spies) spy.mockRestore()
    for (const { text } of lines) {
      for (const secret of secrets) expect(text).not.toContain(secret)
      expect(text).not.toMatch(signature)
      expect(text).not.toContain("[MSW]")
    }
  })
  return {
    lines,
    /** The lines of one level that hold all the words. */
    linesWith: (level: (typeof methods)[number], ...words: ReadonlyArray<string>): ReadonlyArray<string> =>
      lines
        .filter((line) => line.level === level && words.every((word) => line.text.includes(word)))
        .map(({ text }) => text),
  }
}
