import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { jitter, pause, retry } from "../../src/server-kit/retry.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Fails as often as told, then succeeds; remembers when it was tried. */
const flaky = (failures: number, isRetryable = true) => {
  const tries: Array<number> = []
  const start = Date.now()
  const effect = Effect.suspend(() => {
    tries.push(Date.now() - start)
    return tries.length > failures ? Effect.succeed("done") : Effect.fail({ isRetryable, number: tries.length })
  })
  return { tries, effect }
}

const run = async <A, E>(effect: Effect.Effect<A, E>) => {
  const outcome = Effect.runPromise(Effect.result(effect))
  await vi.runAllTimersAsync()
  return outcome
}

describe("retry", () => {
  it("does not repeat what succeeds", async () => {
    const { effect, tries } = flaky(0)
    expect(await run(retry(effect, [10, 20]))).toEqual(Result.succeed("done"))
    expect(tries).toEqual([0])
  })

  it("waits each delay, and up to half of it more, before the next try", async () => {
    const { effect, tries } = flaky(2)
    expect(await run(retry(effect, [1000, 4000]))).toEqual(Result.succeed("done"))
    expect(tries).toHaveLength(3)
    const [first = 0, second = 0, third = 0] = tries
    expect(second - first).toBeGreaterThanOrEqual(1000)
    expect(second - first).toBeLessThanOrEqual(1501)
    expect(third - second).toBeGreaterThanOrEqual(4000)
    expect(third - second).toBeLessThanOrEqual(6001)
  })

  it("gives up with the last failure when the delays are used up", async () => {
    const { effect, tries } = flaky(9)
    expect(await run(retry(effect, [1, 1]))).toEqual(Result.fail({ isRetryable: true, number: 3 }))
    expect(tries).toHaveLength(3)
    expect(await run(retry(flaky(9).effect, []))).toEqual(Result.fail({ isRetryable: true, number: 1 }))
  })

  it("gives up at once when a retry cannot help", async () => {
    const { effect, tries } = flaky(9, false)
    expect(await run(retry(effect, [1, 1]))).toEqual(Result.fail({ isRetryable: false, number: 1 }))
    expect(tries).toHaveLength(1)
  })

  it("leaves no timer behind when it is interrupted", async () => {
    const controller = new AbortController()
    const running = expect(Effect.runPromise(pause(60_000), { signal: controller.signal })).rejects.toThrow()
    expect(vi.getTimerCount()).toBe(1)
    controller.abort()
    await running
    expect(vi.getTimerCount()).toBe(0)
  })
})

it("jitter adds at most half, and never the same to all", () => {
  const delays = Array.from({ length: 1000 }, () => jitter(1000))
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(1000)
  expect(Math.max(...delays)).toBeLessThanOrEqual(1500)
  expect(new Set(delays).size).toBeGreaterThan(900)
})
