import { expect, it } from "vitest"
import { forEachAtOnce } from "../../src/cli/for-each-at-once.ts"

const count = async function* (to: number) {
  for (let next = 0; next < to; next++) yield next
}

it("works for so many at a time, and begins them in their order", async () => {
  const begun: Array<number> = []
  let [underWay, most] = [0, 0]
  await forEachAtOnce(count(10), 3, async (one, index) => {
    expect(index).toBe(one)
    begun.push(one)
    most = Math.max(most, ++underWay)
    // The first of them is the last to end.
    await new Promise((resolve) => setTimeout(resolve, one === 0 ? 50 : 5))
    underWay--
  })
  expect(begun).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9])
  expect([most, underWay]).toEqual([3, 0])
})

it("begins nothing after a failure, and ends once what is under way has ended", async () => {
  const ended: Array<number> = []
  let isClosed = false
  const all = async function* () {
    try {
      yield* count(100)
    } finally {
      isClosed = true
    }
  }
  const working = forEachAtOnce(all(), 3, async (one) => {
    await new Promise((resolve) => setTimeout(resolve, one === 1 ? 5 : 30))
    if (one === 1) throw new Error("the second")
    ended.push(one)
  })
  await expect(working).rejects.toThrow("the second")
  expect(ended).toEqual([0, 2])
  expect(isClosed).toBe(true)
})
