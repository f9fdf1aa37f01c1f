import { expect, it } from "vitest"
import { createTurns } from "../../../src/ingest/scan/turns.ts"

const files = (appId: string, ...ids: ReadonlyArray<number>) => ids.map((id) => ({ appId, id }))
const idsOf = (taken: ReadonlyArray<{ readonly id: number }>) => taken.map(({ id }) => id)

it("gives all places to the only app, and keeps one free where there may be others", () => {
  const only = createTurns(() => true)
  expect(only.take(files("a", 1, 2, 3, 4, 5), 4)).toHaveLength(4)
  const several = createTurns(() => false)
  expect(several.take(files("a", 1, 2, 3, 4, 5), 4)).toHaveLength(3)
  expect(several.take(files("a", 4, 5), 4)).toEqual([])
  expect(several.count()).toBe(3)
  expect(createTurns(() => false).take(files("a", 1, 2), 1)).toHaveLength(1)
})

it("gives an app at most half of them while another one waits or has some, the oldest file first", () => {
  const turns = createTurns<{ readonly appId: string; readonly id: number }>(() => false)
  expect(idsOf(turns.take([...files("a", 1, 2, 3, 4), ...files("b", 9)], 4))).toEqual([1, 9, 2])
  expect(turns.take(files("a", 3, 4), 4)).toEqual([])
  turns.release("b")
  expect(idsOf(turns.take(files("a", 3, 4), 4))).toEqual([3])
})

it("takes apps in turn where there is one place", () => {
  const turns = createTurns<{ readonly appId: string; readonly id: number }>(() => false)
  const waiting = [...files("a", 1, 2), ...files("b", 3, 4), ...files("c", 5, 6)]
  const order: Array<string> = []
  for (let left = waiting; left.length > 0;) {
    const [next] = turns.take(left, 1)
    order.push(next!.appId)
    left = left.filter((each) => each !== next)
    turns.release(next!.appId)
  }
  expect(order.join("")).toBe("abcabc")
})

it("gives nothing to nobody", () => {
  const turns = createTurns(() => false)
  expect(turns.take([], 4)).toEqual([])
  expect(turns.count()).toBe(0)
})
