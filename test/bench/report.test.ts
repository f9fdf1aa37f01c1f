import { describe, expect, it } from "vitest"
import { type Aim, judge } from "../../bench/report.ts"
import type { Rounds } from "../../bench/rounds.ts"

const rounds: Rounds = new Map([
  ["sluice", { rate: [300, 100, 200], cpu: [2000, 2500, 2400] }],
  ["tus", { rate: [100, 100, 400], cpu: [1000, 2500, 4800] }],
])

const judgeOne = (aim: Aim) => judge({ rounds, aims: [aim] })[0]!

describe("an aim", () => {
  it("of a ratio is judged by the median of the ratios round by round", () => {
    const verdict = judgeOne({ of: "sluice", to: "tus", figure: "rate", atLeast: 1 })
    // Medians alone would say 200 of 100.
    expect(verdict.value).toEqual({ median: 1, min: 0.5, max: 3 })
    expect(verdict.isMet).toBe(true)
    expect(judgeOne({ of: "sluice", to: "tus", figure: "rate", atLeast: 1.01 }).isMet).toBe(false)
  })

  it("of no other case is judged by the figure itself", () => {
    const verdict = judgeOne({ of: "sluice", figure: "cpu", atMost: 2400 })
    expect(verdict.value).toEqual({ median: 2400, min: 2000, max: 2500 })
    expect(verdict.isMet).toBe(true)
    expect(judgeOne({ of: "sluice", figure: "cpu", atMost: 2399 }).isMet).toBe(false)
    expect(judgeOne({ of: "sluice", figure: "cpu", atLeast: 2401 }).isMet).toBe(false)
  })

  it("of nothing beside nothing is met", () => {
    const nothing = { lost: [0, 0, 0] }
    const rounds = new Map([
      ["sluice", nothing],
      ["tus", nothing],
    ])
    const aims = [{ of: "sluice", to: "tus", figure: "lost", atMost: 1 }]
    expect(judge({ rounds, aims })).toMatchObject([{ isMet: true, value: { median: 1 } }])
  })

  it("can have both bounds", () => {
    const aim = { of: "sluice", to: "tus", figure: "cpu" }
    expect(judgeOne({ ...aim, atLeast: 0.9, atMost: 1.1 }).isMet).toBe(true)
    expect(judgeOne({ ...aim, atLeast: 1.1, atMost: 1.2 }).isMet).toBe(false)
    expect(judgeOne({ ...aim, atLeast: 0.5, atMost: 0.9 }).isMet).toBe(false)
  })

  it("without bounds is neither met nor missed", () => {
    expect(judgeOne({ of: "sluice", to: "tus", figure: "rate" }).isMet).toBeUndefined()
  })

  it("is left out where its case or its figure was not measured", () => {
    const aims = [
      { of: "nginx", to: "sluice", figure: "rate" },
      { of: "sluice", to: "nginx", figure: "rate" },
      { of: "sluice", to: "tus", figure: "wall" },
      { of: "sluice", figure: "wall", atMost: 1 },
    ]
    expect(judge({ rounds, aims })).toEqual([])
  })
})

describe("being behind", () => {
  const fast = { rate: [2], wall: [1] }
  const slow = { rate: [1], wall: [2] }
  const isBehind = (ours: typeof fast, theirs: typeof fast, aim: Aim) =>
    judge({
      rounds: new Map([
        ["sluice", ours],
        ["sluice, bundled", ours],
        ["tus", theirs],
      ]),
      aims: [aim],
    })[0]!.isBehind

  it.each([
    { of: "sluice", to: "tus", figure: "rate" },
    { of: "tus", to: "sluice", figure: "rate" },
    { of: "sluice", to: "tus", figure: "wall" },
    { of: "tus", to: "sluice", figure: "wall" },
  ])("is seen in the ratio $of / $to of $figure", (aim) => {
    expect(isBehind(slow, fast, aim)).toBe(true)
    expect(isBehind(fast, slow, aim)).toBe(false)
    expect(isBehind(fast, fast, aim)).toBe(false)
  })

  it("is no difference that is printed as ×1", () => {
    const rate = (hundredths: number) => ({ rate: [hundredths], wall: [1] })
    const aim = { of: "sluice", to: "tus", figure: "rate" }
    expect(isBehind(rate(997), rate(1000), aim)).toBe(false)
    expect(isBehind(rate(990), rate(1000), aim)).toBe(true)
  })

  it("is of others only: neither of a figure by itself nor of two cases of ours or of theirs", () => {
    expect(isBehind(slow, fast, { of: "sluice", figure: "wall" })).toBe(false)
    const other = { ...slow, wall: [9] }
    const rounds = new Map([
      ["sluice", other],
      ["sluice, bundled", fast],
      ["tus", other],
      ["nginx", fast],
    ])
    const aims = [
      { of: "sluice", to: "sluice, bundled", figure: "wall" },
      { of: "tus", to: "nginx", figure: "wall" },
    ]
    expect(judge({ rounds, aims }).map(({ isBehind }) => isBehind)).toEqual([false, false])
  })
})
