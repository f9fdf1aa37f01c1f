import { afterEach, beforeEach, type MockInstance, vi } from "vitest"

/**
 * Makes every pause of the code under test end at once, and records how long it was meant to be. Its timeouts stay as
 * they are, but those a test lets expire; timers of others (Node, MSW) are not touched.
 */
export const useQuickTimers = () => {
  const pauses: Array<number> = []
  const expired = new Set<number>()
  let spy: MockInstance
  beforeEach(() => {
    const { setTimeout } = globalThis
    const isExpired = (ms: number): boolean => {
      const stack = new Error("where from?").stack ?? ""
      if (/src[/\\](?:server-kit|transfer)[/\\]retry/.test(stack)) return pauses.push(ms) > 0
      return /src[/\\]server-kit[/\\]post-json/.test(stack) && expired.has(ms)
    }
    spy = vi
      .spyOn(globalThis, "setTimeout")
      .mockImplementation(((run: (...args: ReadonlyArray<unknown>) => void, ms = 0, ...args: ReadonlyArray<unknown>) =>
        setTimeout(run, isExpired(ms) ? 1 : ms, ...args)) as typeof setTimeout)
  })
  afterEach(() => {
    spy.mockRestore()
    pauses.length = 0
    expired.clear()
  })
  return { pauses, expire: (ms: number) => void expired.add(ms) }
}
