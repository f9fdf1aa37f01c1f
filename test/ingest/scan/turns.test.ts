import { expect, it } from "vitest"
import { createTurns as create, type TurnRules } from "../../../src/ingest/scan/turns.ts"

interface Waiting {
  readonly appId: string
  readonly owner: string | null
  readonly id: number
}

const createTurns = (isOne: () => boolean, isTried: TurnRules<Waiting>["isTried"] = () => false) =>
  create<Waiting>({ isOne, isTried })

const files = (appId: string, ...ids: ReadonlyArray<number>): ReadonlyArray<Waiting> =>
  ids.map((id) => ({ appId, owner: null, id }))
const filesOf = (owner: string, ...ids: ReadonlyArray<number>): ReadonlyArray<Waiting> =>
  ids.map((id) => ({ appId: "app", owner, id }))
const idsOf = (taken: ReadonlyArray<{ readonly id: number }>) => taken.map(({ id }) => id)

it("gives all places to the only app, and keeps one free where there may be others", () => {
  const only = createTurns(() => true)
  expect(only.take(files("a", 1, 2, 3, 4, 5), 4)).toHaveLength(4)
  const several = createTurns(() => false)
  several.note({ appId: "a", owner: null }, "prompt")
  expect(several.take(files("a", 1, 2, 3, 4, 5), 4)).toHaveLength(3)
  expect(several.take(files("a", 4, 5), 4)).toEqual([])
  expect(several.count()).toBe(3)
  expect(createTurns(() => false).take(files("a", 1, 2), 1)).toHaveLength(1)
  expect(createTurns(() => false).take(files("new", 1, 2, 3, 4), 4)).toHaveLength(2)
})

it("gives an app at most half of them while another one waits or has some, the oldest file first", () => {
  const turns = createTurns(() => false)
  for (const appId of ["a", "b"]) turns.note({ appId, owner: null }, "prompt")
  const taken = turns.take([...files("a", 1, 2, 3, 4), ...files("b", 9)], 4)
  expect(idsOf(taken)).toEqual([1, 9, 2])
  expect(turns.take(files("a", 3, 4), 4)).toEqual([])
  turns.release(taken[1]!)
  expect(idsOf(turns.take(files("a", 3, 4), 4))).toEqual([3])
})

it("takes apps in turn where there is one place", () => {
  const turns = createTurns(() => false)
  const waiting = [...files("a", 1, 2), ...files("b", 3, 4), ...files("c", 5, 6)]
  const order: Array<string> = []
  for (let left = waiting; left.length > 0;) {
    const [next] = turns.take(left, 1)
    order.push(next!.appId)
    left = left.filter((each) => each !== next)
    turns.release(next!)
  }
  expect(order.join("")).toBe("abcabc")
})

it("gives nothing to nobody", () => {
  const turns = createTurns(() => false)
  expect(turns.take([], 4)).toEqual([])
  expect(turns.count()).toBe(0)
})

it("gives files that were tried before half of them, also where there is one app", () => {
  const turns = createTurns(
    () => true,
    ({ id }) => id >= 10,
  )
  expect(idsOf(turns.take(files("a", 11, 12, 13, 14), 4))).toEqual([11, 12])
  expect(idsOf(turns.take(files("a", 1, 2, 3, 13), 4))).toEqual([1, 2])
  expect(
    createTurns(
      () => true,
      () => true,
    ).take(files("a", 11), 1),
  ).toHaveLength(1)
})

it("gives all apps together about whom the scanner was silent half of them, until it answers", () => {
  const turns = createTurns(() => false)
  for (const appId of ["a", "b", "c"]) turns.note({ appId, owner: null }, "silent")
  turns.note({ appId: "good", owner: null }, "prompt")
  const taken = turns.take([...files("a", 1), ...files("b", 2), ...files("c", 3)], 4)
  expect(idsOf(taken)).toEqual([1, 2])
  expect(idsOf(turns.take([...files("c", 3), ...files("good", 7, 8, 9)], 4))).toEqual([7, 8])
  turns.release(taken[0]!)
  turns.note({ appId: "a", owner: null }, "silent")
  expect(idsOf(turns.take([...files("a", 4), ...files("c", 3)], 4))).toEqual([3])
  turns.release(taken[1]!)
  turns.note({ appId: "b", owner: null }, "prompt")
  turns.note({ appId: "b", owner: null }, "prompt")
  turns.note({ appId: "b", owner: null }, "prompt")
  expect(idsOf(turns.take([...files("a", 4), ...files("b", 5, 6)], 4))).toEqual([4])
})

it("gives apps that are new or slow three quarters of them, so that one that is prompt finds room", () => {
  const turns = createTurns(() => false)
  turns.note({ appId: "slow", owner: null }, "slow")
  const waiting = [...files("slow", 1), ...files("new", 2), ...files("other", 3), ...files("last", 4)]
  expect(idsOf(turns.take(waiting, 4))).toEqual([1, 2, 3])
  turns.note({ appId: "good", owner: null }, "prompt")
  expect(idsOf(turns.take([...files("last", 4), ...files("good", 5)], 4))).toEqual([5])
})

it("releases a place once", () => {
  const turns = createTurns(() => true)
  const [one] = turns.take(files("a", 1, 2), 2)
  turns.release(one!)
  turns.release(one!)
  expect(turns.count()).toBe(1)
})

it("takes an app for prompt again once the scanner was so about three of its files", () => {
  const turns = createTurns(() => false)
  for (const appId of ["a", "b", "new"]) turns.note({ appId, owner: null }, "silent")
  const taken = turns.take([...files("a", 1), ...files("b", 2)], 4)
  expect(taken).toHaveLength(2)
  for (let count = 0; count < 3; count++) {
    expect(turns.take(files("new", 3), 4)).toEqual([])
    turns.note({ appId: "new", owner: null }, "prompt")
  }
  expect(idsOf(turns.take(files("new", 3), 4))).toEqual([3])
})

it("takes the users of an app in turn, each in the order of arrival", () => {
  const turns = createTurns(() => true)
  const waiting = [...filesOf("ada", 1, 2, 3, 4, 5), ...filesOf("eve", 6, 7), ...filesOf("bob", 8)]
  expect(idsOf(turns.take(waiting, 4))).toEqual([1, 6, 8, 2])
})

it("gives users about whose last file the scanner was silent half of the places, until it answers", () => {
  const turns = createTurns(() => true)
  turns.note(filesOf("eve", 0)[0]!, "silent")
  expect(turns.isSilent("app")).toBe(true)
  const taken = turns.take(filesOf("eve", 1, 2, 3, 4), 4)
  expect(idsOf(taken)).toEqual([1, 2])
  expect(idsOf(turns.take([...filesOf("eve", 3, 4), ...filesOf("ada", 9)], 4))).toEqual([9])
  for (let count = 0; count < 3; count++) turns.note(filesOf("eve", 0)[0]!, "prompt")
  expect(turns.isSilent("app")).toBe(false)
  expect(idsOf(turns.take(filesOf("eve", 3, 4), 4))).toEqual([3])
})
