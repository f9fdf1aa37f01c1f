import { afterEach, beforeEach, expect, it, vi } from "vitest"
import { createReminder } from "../../src/server-kit/reminder.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => vi.useRealTimers())

it("says a text once an hour, and how often it came meanwhile", () => {
  const remind = createReminder()
  expect([remind("a"), remind("a"), remind("b"), remind("a")]).toEqual([0, undefined, 0, undefined])
  vi.advanceTimersByTime(60 * 60_000)
  expect([remind("a"), remind("b")]).toEqual([2, 0])
})

it("whoever makes up new texts all the time gets ten a minute said, and silences nobody for longer than that", () => {
  const remind = createReminder()
  const flood = (count: number) =>
    Array.from({ length: count }, (_, i) => remind(`${Math.random()} ${i}`)).filter((said) => said !== undefined).length
  expect(flood(5000)).toBeLessThanOrEqual(101)
  let said = 0
  for (let second = 0; second < 60; second++) {
    vi.advanceTimersByTime(1000)
    said += flood(100)
  }
  expect(said).toBe(10)
  vi.advanceTimersByTime(6000)
  expect(remind("a mistake that is real")).toBe(0)
})

it("tells long texts apart by their beginning: what is kept of them is short", () => {
  const remind = createReminder()
  const long = "x".repeat(1_000_000)
  expect([remind(`${long}1`), remind(`${long}2`), remind(`2${long}`)]).toEqual([0, undefined, 0])
})

it("says a text again after an hour, also where the clock was set back meanwhile", () => {
  const remind = createReminder()
  remind("a")
  vi.setSystemTime(Date.now() - 24 * 60 * 60_000)
  vi.advanceTimersByTime(60 * 60_000)
  expect(remind("a")).toBe(0)
})
