import { describe, expect, test } from "vitest"
import { createSpeedometer } from "../../../src/ui/controller/speed.ts"

/** Samples of `bytes` each, `every` ms. */
const run = (samples: ReadonlyArray<readonly [bytes: number, every: number, isMoving?: boolean]>) => {
  const meter = createSpeedometer()
  let now = 5_000
  meter.sample(0, now, true)
  return samples.map(([bytes, every, isMoving = true]) => {
    meter.sample(bytes, (now += every), isMoving)
    return meter.read()
  })
}
const times = <A>(count: number, value: A): Array<A> => Array.from({ length: count }, () => value)

describe("the speed", () => {
  test("is not known before 3 s of data, and is exact from then on where it does not change", () => {
    expect(run(times(5, [1000, 1000] as const))).toEqual([undefined, undefined, 1000, 1000, 1000])
  })

  test("is the same however the samples fall, as in a hidden tab", () => {
    const even = run(times(60, [500, 1000] as const)).at(-1)
    expect(
      run([
        [500, 1000],
        [7_500, 15_000],
        [250, 500],
        [21_500, 43_000],
      ]).at(-1),
    ).toBe(even)
  })

  test("is half of the way to a new one after 2 s", () => {
    const [, , before] = run(times(3, [1000, 1000] as const))
    expect(before).toBe(1000)
    const after = run([...times(60, [1000, 1000] as const), [3000, 1000], [3000, 1000]]).at(-1)!
    expect(after).toBeGreaterThan(1990)
    expect(after).toBeLessThan(2010)
  })

  test("is unknown when nothing moves for 3 s, and begins anew", () => {
    const seen = run([...times(5, [1000, 1000] as const), ...times(3, [0, 1000] as const), [900, 1000]])
    expect(seen.slice(5, 7).every((speed) => speed! > 0)).toBe(true)
    expect(seen.slice(7)).toEqual([undefined, undefined])
  })

  test("is unknown at once when nothing is being sent: paused, offline, waiting for a retry", () => {
    const seen = run([...times(5, [1000, 1000] as const), [0, 1000, false], ...times(3, [200, 1000] as const)])
    // What is learnt afterwards has nothing of the line before.
    expect(seen.slice(5)).toEqual([undefined, undefined, undefined, 200])
  })

  test("survives a clock that jumps, and a computer that slept", () => {
    for (const jump of [-50_000, 0, 8 * 3_600_000]) {
      const seen = run([...times(5, [1000, 1000] as const), [1000, jump], ...times(4, [1000, 1000] as const)])
      expect(seen.every((speed) => speed === undefined || (speed >= 1000 && speed < 1500))).toBe(true)
      expect(seen.at(-1)).toBeDefined()
    }
  })

  test("the time before the first byte is no slow line", () => {
    expect(run([...times(2, [0, 1000] as const), ...times(3, [1000, 1000] as const)]).at(-1)).toBe(1000)
  })
})
