import { expect, test } from "vitest"
import { createMilestones } from "../../../src/ui/announcements/milestones.ts"

const seconds = (count: number) => count * 1000

test("a slow upload is told of at 25, 50 and 75 percent, once each", () => {
  const isMilestone = createMilestones()
  const told = Array.from({ length: 101 }, (_, percent) => percent).filter((percent) =>
    isMilestone(percent, seconds(percent * 60)),
  )
  expect(told).toEqual([25, 50, 75])
})

test("a quicker one at most every 30 s, and what was too early is made up for", () => {
  const isMilestone = createMilestones()
  const told = Array.from({ length: 101 }, (_, percent) => percent).filter((percent) =>
    isMilestone(percent, seconds(percent)),
  )
  expect(told).toEqual([25, 55, 85])
})

test("each upload begins anew", () => {
  const isMilestone = createMilestones()
  expect(isMilestone(80, 0)).toBe(true)
  expect(isMilestone(0, seconds(40))).toBe(false)
  expect(isMilestone(26, seconds(80))).toBe(true)
})
