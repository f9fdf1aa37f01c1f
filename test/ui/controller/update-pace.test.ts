import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { createUpdatePace } from "../../../src/ui/controller/update-pace.ts"

beforeEach(() => void vi.useFakeTimers())
afterEach(() => {
  vi.unstubAllGlobals()
  vi.useRealTimers()
})

/** Listeners whose work and whose frame take so many ms each. */
const start = ({ work = 0, frame = 0, hidden = false } = {}) => {
  let spent = 0
  vi.spyOn(performance, "now").mockImplementation(() => spent)
  vi.stubGlobal("document", { hidden })
  // The frame is rendered after its callback, and before the next timer.
  vi.stubGlobal("requestAnimationFrame", (paint: () => void) => setTimeout(() => (paint(), (spent += frame)), 1))
  let told = 0
  const pace = createUpdatePace(() => {
    told++
    spent += work
  })
  return { pace, told: () => told }
}

/** How often listeners are told of changes that come each ms for a second. */
const countInASecond = async ({ pace, told }: ReturnType<typeof start>): Promise<number> => {
  for (let ms = 0; ms < 1000; ms++) {
    pace.inTurn()
    await vi.advanceTimersByTimeAsync(1)
  }
  return told()
}

test("what costs nothing is shown once a frame", async () => {
  expect(await countInASecond(start())).toBeGreaterThan(50)
})

test.each([
  ["the frameworks' work", { work: 20 }],
  ["the page's layout and paint", { frame: 20 }],
])("where %s takes 20 ms, it is done at most every 140 ms", async (_, costs) => {
  const told = await countInASecond(start(costs))
  expect(told).toBeGreaterThan(4)
  expect(told).toBeLessThan(9)
})

test("a hidden page has no frames, and does not wait for one", async () => {
  expect(await countInASecond(start({ frame: 1000, hidden: true }))).toBeGreaterThan(50)
})

test("the last change is shown, after a second at most, however expensive that is", async () => {
  const { pace, told } = start({ work: 10_000 })
  pace.inTurn()
  pace.inTurn()
  expect(told()).toBe(1)
  await vi.advanceTimersByTimeAsync(1000)
  expect(told()).toBe(2)
  await vi.advanceTimersByTimeAsync(5000)
  expect(told()).toBe(2)
})

test("what the user does is shown within a frame, also during a rest", async () => {
  const { pace, told } = start({ work: 100 })
  pace.inTurn()
  pace.soon()
  await vi.advanceTimersByTimeAsync(16)
  expect(told()).toBe(2)
  await vi.advanceTimersByTimeAsync(100)
  pace.inTurn()
  expect(told()).toBe(2)
  pace.soon()
  expect(told()).toBe(3)
  pace.now()
  expect(told()).toBe(4)
})
