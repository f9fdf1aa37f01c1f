import { expect, test } from "vitest"
import { oneAtATime } from "../../../src/ui/controller/one-at-a-time.ts"

test("what is asked for during a work is done once, after it, and all who have asked wait for that", async () => {
  const ends: Array<() => void> = []
  const log: Array<string> = []
  const ask = oneAtATime(async () => {
    log.push("begun")
    await new Promise<void>((resolve) => ends.push(resolve))
    log.push("ended")
  })
  const first = ask().then(() => log.push("first"))
  const others = [1, 2, 3].map(() => ask().then(() => log.push("other")))
  expect(log).toEqual(["begun"])
  ends.shift()!()
  await first
  expect(log).toEqual(["begun", "ended", "first", "begun"])
  ends.shift()!()
  await Promise.all(others)
  expect(log.slice(4)).toEqual(["ended", "other", "other", "other"])
  const last = ask()
  ends.shift()!()
  await last
  expect(log.filter((line) => line === "begun")).toHaveLength(3)
  expect(ends).toEqual([])
})
