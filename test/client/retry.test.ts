import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { UploadError } from "../../src/client.ts"
import { readReply } from "../../src/transfer/reply.ts"
import type { Attempt } from "../../src/transfer/attempt.ts"
import { retry } from "../../src/transfer/retry.ts"

beforeEach(() => {
  vi.useFakeTimers()
})
afterEach(() => {
  vi.useRealTimers()
  vi.restoreAllMocks()
})

const error = new UploadError({ code: "NETWORK_ERROR", message: "gone" })
const never = new AbortController().signal

/** The waits between tries of work that never succeeds, in ms. */
const waits = async (failure: Attempt<never>, options: Parameters<typeof retry>[1]): Promise<Array<number>> => {
  const times: Array<number> = []
  const attempt = async () => {
    times.push(Date.now())
    return failure
  }
  const end = retry(attempt, options, never).catch((reason: unknown) => reason)
  await vi.runAllTimersAsync()
  expect(await end).toBe("error" in failure && failure.error)
  return times.slice(1).map((time, i) => time - times[i]!)
}

describe("the wait before a retry", () => {
  test("doubles up to a bound", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0)
    expect(await waits({ error }, { attempts: 6, delay: 100, maxDelay: 700 })).toEqual([100, 200, 400, 700, 700])
  })

  test("is cut by chance, never below half", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0.999_999)
    expect(await waits({ error }, { attempts: 4, delay: 100 })).toEqual([50, 100, 200])
  })

  test("is never shorter than retry-after, in seconds or as a date", async () => {
    vi.spyOn(Math, "random").mockReturnValue(0)
    vi.setSystemTime(new Date("2026-01-01T00:00:00Z"))
    const reply = (header: string) =>
      readReply<never>(
        { status: 429, body: "", header: (name) => (name === "retry-after" ? header : null) },
        () => undefined,
      )
    expect(await waits(reply("7"), { attempts: 2 })).toEqual([7000])
    vi.setSystemTime(new Date("2026-01-01T00:00:00Z"))
    expect(await waits(reply("Thu, 01 Jan 2026 00:00:09 GMT"), { attempts: 2 })).toEqual([9000])
    for (const nonsense of ["soon", "-5", ""]) expect(await waits(reply(nonsense), { attempts: 2 })).toEqual([500])
  })

  test("ends with an abort, and leaves no timer behind", async () => {
    const controller = new AbortController()
    const attempt = vi.fn(async () => ({ error }))
    const end = retry(attempt, { delay: 10_000 }, controller.signal).catch((reason: unknown) => reason)
    await vi.advanceTimersByTimeAsync(10)
    controller.abort("stop")
    expect(await end).toBe("stop")
    expect(attempt).toHaveBeenCalledOnce()
    expect(vi.getTimerCount()).toBe(0)
  })
})

test("a try that is aborted is not followed by a wait", async () => {
  const controller = new AbortController()
  const attempt = async () => {
    controller.abort("stop")
    return { error }
  }
  expect(await retry(attempt, {}, controller.signal).catch((reason: unknown) => reason)).toBe("stop")
  expect(vi.getTimerCount()).toBe(0)
})

test("five tries unless told, and failures are forgotten on progress", async () => {
  expect(await waits({ error }, {})).toHaveLength(4)
  let tries = 0
  const attempt = async (forget: (failures: number) => void): Promise<Attempt<string>> => {
    if (++tries === 3) forget(0)
    return tries === 6 ? { value: "done" } : { error }
  }
  const end = retry(attempt, { attempts: 4 }, never)
  await vi.runAllTimersAsync()
  expect(await end).toBe("done")
})

test("anything but an UploadError is no reason to try again", async () => {
  const bug = new TypeError("bug")
  const attempt = vi.fn(() => Promise.reject(bug))
  await expect(retry(attempt, {}, never)).rejects.toBe(bug)
  expect(attempt).toHaveBeenCalledOnce()
})

describe("silence", () => {
  /** How long attempts lasted that do nothing until they are aborted, in ms. */
  const silences = async (options: Parameters<typeof retry>[1], act: (touch: (times?: number) => void) => void) => {
    vi.spyOn(Math, "random").mockReturnValue(0)
    const lengths: Array<number> = []
    const attempt: Parameters<typeof retry<never>>[0] = (_, signal, touch) => {
      const begun = Date.now()
      act(touch)
      return new Promise((_, reject) =>
        signal.addEventListener("abort", () => {
          lengths.push(Date.now() - begun)
          reject(signal.reason)
        }),
      )
    }
    const end = retry(attempt, { attempts: 2, ...options }, never).catch((reason: unknown) => reason)
    await vi.runAllTimersAsync()
    expect(await end).toMatchObject({ code: "NETWORK_ERROR" })
    expect(vi.getTimerCount()).toBe(0)
    return lengths
  }

  test("of half a minute ends an attempt as a broken connection does, and another one follows", async () => {
    expect(await silences({}, () => {})).toEqual([30_000, 30_000])
    expect(await silences({ timeout: 100 }, () => {})).toEqual([100, 100])
  })

  test("begins anew with each touch, and may last as many times as long as that says", async () => {
    const after = (ms: number, times?: number) => (touch: (times?: number) => void) =>
      void setTimeout(() => touch(times), ms)
    expect(await silences({ timeout: 100 }, after(90))).toEqual([190, 190])
    expect(await silences({ timeout: 100 }, after(50, 4))).toEqual([450, 450])
  })

  test("is waited out where that is wanted, and after an abort nothing is left of it", async () => {
    const controller = new AbortController()
    const attempt = vi.fn<Parameters<typeof retry<never>>[0]>(
      (_, signal) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason))),
    )
    for (const options of [{ timeout: Infinity }, {}]) {
      const end = retry(attempt, options, controller.signal).catch((reason: unknown) => reason)
      await vi.advanceTimersByTimeAsync(options.timeout === undefined ? 29_000 : 86_400_000)
      expect(vi.getTimerCount()).toBe(options.timeout === undefined ? 1 : 0)
      if (options.timeout !== undefined) continue
      controller.abort("stop")
      expect(await end).toBe("stop")
      expect(vi.getTimerCount()).toBe(0)
    }
    expect(attempt).toHaveBeenCalledTimes(2)
  })
})
