import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { createLimitedLog } from "../../../src/ingest/observe/limited-log.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it("logs ten entries of a kind and subject in a minute, then how many there were; another subject has its own ten", () => {
  const lines: Array<string> = []
  const limited = createLimitedLog(
    (level, message, details) => lines.push(`${level} ${message} ${JSON.stringify(details)}`),
    false,
  )
  for (let i = 0; i < 25; i++) limited.log("unanswered", "app-1", "It does not answer.", () => [{ i }])
  limited.log("unanswered", "app-2", "It does not answer.", () => [])
  limited.log("answersAgain", "app-1", "It answers again.", () => [])
  expect(lines).toHaveLength(12)
  vi.advanceTimersByTime(60_000)
  expect(lines.slice(12)).toEqual([
    'Warning More receivers have stopped answering than are logged one by one. [{"app-1":15}]',
  ])
  limited.log("unanswered", "app-1", "It does not answer.", () => [])
  expect(lines).toHaveLength(14)
  limited.close()
  expect(lines).toHaveLength(14)
})
