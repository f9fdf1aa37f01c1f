import { describe, expect, it } from "vitest"
import { createOutage } from "../../../src/ingest/scan/outage.ts"
import { createPostponed } from "../../../src/ingest/scan/postponed.ts"
import { createShares, toWideSharing } from "../../../src/ingest/shares.ts"

const createClock = () => {
  const clock = { time: 1_000_000 }
  return { clock, now: () => clock.time }
}

const file = (id: number, appId = "app") => ({ id, appId })

const room = (most: number, isAlone = true) => createShares(toWideSharing(most, () => isAlone))

describe("files that are tried later", () => {
  const pauses = { shortest: 10, longest: 65 }

  it("wait longer each time, up to a limit", () => {
    const { clock, now } = createClock()
    const postponed = createPostponed(now, pauses, room(10))
    for (const [at, pause] of [10, 20, 40, 65, 65].entries()) {
      expect(postponed.add(file(7), true)).toBe(at === 0)
      expect(postponed.nextAt()).toBe(clock.time + pause)
      clock.time += pause - 1
      expect(postponed.list()).toEqual([7])
      clock.time += 1
      expect(postponed.list()).toEqual([])
    }
  })

  it("wait no longer where the scanner was to blame, and not at all once they are forgotten", () => {
    const { clock, now } = createClock()
    const postponed = createPostponed(now, pauses, room(10))
    for (const _ of [1, 2, 3]) {
      postponed.add(file(7), false)
      expect(postponed.nextAt()).toBe(clock.time + 10)
    }
    postponed.forget(7)
    expect([postponed.list(), postponed.nextAt()]).toEqual([[], undefined])
    expect(postponed.add(file(7), true)).toBe(true)
  })

  it("are at most so many; those that nobody tries again make room", () => {
    const { clock, now } = createClock()
    const postponed = createPostponed(now, pauses, room(2))
    expect([1, 2, 3].map((id) => postponed.add(file(id), true))).toEqual([true, true, false])
    expect([postponed.list(), postponed.isFull("app")]).toEqual([[1, 2], true])
    clock.time += 1000
    expect([postponed.list(), postponed.isFull("app")]).toEqual([[], false])
    expect(postponed.add(file(3), true)).toBe(true)
  })

  it("of one app leave room for those of others, and give it back when they are forgotten", () => {
    const { now } = createClock()
    const postponed = createPostponed(now, pauses, room(1000, false))
    for (let id = 1; id <= 1000; id++) postponed.add(file(id), true)
    expect([postponed.isFull("app"), postponed.isFull("other")]).toEqual([true, false])
    expect(postponed.list().length).toBeLessThan(800)
    expect(postponed.add(file(2000, "other"), true)).toBe(true)
    for (const id of [2000, 1, 1]) postponed.forget(id)
    expect(postponed.add(file(1), true)).toBe(true)
    expect(postponed.add(file(1001), true)).toBe(false)
  })
})

describe("a scanner that is away", () => {
  it("is asked less and less, and is there again with any answer", () => {
    const { clock, now } = createClock()
    const outage = createOutage(now, { shortest: 10, longest: 35 })
    expect([outage.isOn(), outage.pause()]).toEqual([false, 0])
    for (const [at, pause] of [10, 20, 35, 35].entries()) {
      expect(outage.begin(outage.mark(), true)).toBe(at === 0)
      expect([outage.isOn(), outage.pause()]).toEqual([true, pause])
      clock.time += pause
      expect(outage.pause()).toBe(0)
    }
    expect([outage.end(), outage.end()]).toEqual([true, false])
    expect([outage.isOn(), outage.pause()]).toEqual([false, 0])
  })

  it("is asked less once, however many scans fail together", () => {
    const { now } = createClock()
    const outage = createOutage(now, { shortest: 10, longest: 35 })
    const marks = [1, 2, 3].map(outage.mark)
    expect(marks.map((mark) => outage.begin(mark, true))).toEqual([true, false, false])
    expect(outage.pause()).toBe(10)
  })

  it("is asked soon again where it can be reached, however often it is silent", () => {
    const { clock, now } = createClock()
    const outage = createOutage(now, { shortest: 10, longest: 35 })
    const fail = (isAway: boolean) => [
      outage.begin(outage.mark(), isAway),
      outage.isOn(),
      outage.isAway(),
      outage.pause(),
    ]
    expect(fail(false)).toEqual([true, true, false, 10])
    for (let count = 0; count < 3; count++) {
      clock.time += 10
      expect(fail(false)).toEqual([false, true, false, 10])
    }
    expect(fail(true)).toEqual([false, true, true, 20])
    expect(fail(false)).toEqual([false, true, false, 10])
    outage.begin(outage.mark(), true)
    outage.end()
    expect([outage.isOn(), outage.isAway(), outage.pause()]).toEqual([false, false, 0])
  })

  it("has answered somebody since, or has not", () => {
    const { now } = createClock()
    const outage = createOutage(now, { shortest: 10, longest: 35 })
    const before = outage.mark()
    expect(outage.hasAnswered(before)).toBe(false)
    outage.end()
    expect(outage.hasAnswered(before)).toBe(true)
    expect(outage.hasAnswered(outage.mark())).toBe(false)
  })
})
