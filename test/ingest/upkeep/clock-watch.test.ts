import { describe, expect, it } from "vitest"
import { createClockWatch } from "../../../src/ingest/upkeep/clock-watch.ts"

const minute = 60_000

const setUp = () => {
  const clock = { ahead: 0, steady: 0 }
  const watch = createClockWatch(
    () => 1_700_000_000_000 + clock.steady + clock.ahead,
    () => clock.steady,
  )
  const after = (minutes: number, ahead = clock.ahead / minute) => {
    Object.assign(clock, { ahead: ahead * minute, steady: clock.steady + minutes * minute })
    return watch.look()
  }
  return { watch, after }
}

describe("a clock that is watched", () => {
  it("is believed as it is found, and where it is slewed", () => {
    const { after } = setUp()
    expect(after(0)).toBe("steady")
    for (let count = 1; count < 20; count++) expect(after(10, 4 * count)).toBe("steady")
  })

  it.each([8 * 24 * 60, -60])("that jumps by %i min is told once, and believed after an hour", (jump) => {
    const { watch, after } = setUp()
    after(0)
    expect([after(10, jump), watch.jump()]).toEqual(["jumped", jump * minute])
    expect([after(0), after(10), after(49)]).toEqual(["doubtful", "doubtful", "doubtful"])
    expect(after(1)).toBe("steady")
  })

  it("that jumps again and again is told once until it is believed", () => {
    const { after } = setUp()
    after(0)
    expect(after(10, 60)).toBe("jumped")
    for (let count = 0; count < 20; count++) expect(after(50, count % 2 === 0 ? 0 : 60)).toBe("doubtful")
    expect(after(60)).toBe("steady")
    expect(after(1, -60)).toBe("jumped")
  })
})
