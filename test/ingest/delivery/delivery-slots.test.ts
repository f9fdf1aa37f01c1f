import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createDeliverySlots } from "../../../src/ingest/delivery/delivery-slots.ts"
import type { DueDelivery } from "../../../src/ingest.ts"

const dueOf = (appId: string) => ({ file: { appId } }) as DueDelivery

const appOf = ({ file }: DueDelivery) => file.appId

/** @param answering apps that answered last time, or from now on where nothing else is said */
const start = (maximum: number, answering: ReadonlyArray<string> = ["a", "b", "c"]) => {
  let woken = 0
  const slots = createDeliverySlots(maximum, appOf, () => woken++)
  for (const appId of answering) slots.note(appId, true)
  const take = (appId: string, count: number) =>
    Array.from({ length: count }, () => slots.reserve(appId)).filter((slot) => slot !== undefined)
  return { ...slots, take, woken: () => woken }
}

describe("slots of callbacks", () => {
  it("are a quarter for each app, and the last quarter is for those that have less than two", () => {
    const apps = ["a", "b", "c", "d", "e", "f", "g", "h"]
    const { take } = start(32, apps)
    expect(apps.map((appId) => take(appId, 99).length)).toEqual([8, 8, 8, 2, 2, 2, 2, 0])
  })

  it("are at most half of all for apps that did not answer, however many they are", () => {
    const { take, note } = start(32, ["hung 0"])
    const hung = Array.from({ length: 40 }, (_, index) => `hung ${index}`)
    // Some have their slots before they are known to hang.
    const first = take("hung 0", 8)
    for (const appId of hung) note(appId, false)
    expect(hung.map((appId) => take(appId, 9).length)).toEqual([0, 2, 2, 2, 2, ...Array.from({ length: 35 }, () => 0)])
    expect(["new 1", "new 2", "new 3", "new 4"].flatMap((appId) => take(appId, 9))).toHaveLength(8)
    note("good", true)
    expect(take("good", 9)).toHaveLength(2)
    for (const slot of first) slot.release()
    const late = ["late 1", "late 2", "late 3", "late 4", "late 5", "late 6"]
    for (const appId of late) note(appId, false)
    expect(take("late 1", 9)).toHaveLength(2)
    // One that answers again is none of them.
    note("hung 1", true)
    expect(late.slice(1).map((appId) => take(appId, 9).length)).toEqual([2, 2, 2, 2, 0])
  })

  it("are at least one, however few there are", () => {
    for (const maximum of [1, 2, 3]) expect(start(maximum).take("a", 9)).toHaveLength(1)
  })

  it("are two for an app until it has answered, which wakes what waits for more", () => {
    const { take, note, woken } = start(32, [])
    expect(take("a", 9)).toHaveLength(2)
    expect(woken()).toBe(0)
    note("a", true)
    expect(woken()).toBe(1)
  })

  it("are two for an app that did not answer, and its quarter again once it does", () => {
    const { take, note } = start(32)
    const held = take("a", 8)
    expect([note("a", false), note("a", false)]).toEqual([true, false])
    for (const slot of held.splice(0, 7)) slot.release()
    expect(take("b", 8)).toHaveLength(8)
    held.push(...take("a", 9))
    expect(held.length).toBeLessThanOrEqual(2)
    for (const slot of held) slot.release()
    expect([note("a", true), note("a", true)]).toEqual([true, false])
  })

  it("are not given to a newer event while an older one of the app waits for one", async () => {
    const { reserve, take, claim, woken } = start(32)
    const held = take("a", 8)
    expect(reserve("a")).toBeUndefined()
    expect(woken()).toBe(0)
    held[0]!.release()
    expect(woken()).toBe(1)
    expect(reserve("a")).toBeUndefined()
    const [claimed] = await claim(async (roomOf) => [dueOf("a")].slice(0, roomOf("a")))
    claimed!.slot.release()
    await claim(async () => [])
    expect(reserve("a")).toBeDefined()
  })

  it("come back when a claim fails", async () => {
    const { claim, take } = start(32)
    const failing = claim(async (roomOf) => {
      expect([roomOf("a"), roomOf("a"), roomOf("b")]).toEqual([8, 8, 8])
      expect([take("a", 1), take("c", 1)].map(({ length }) => length)).toEqual([0, 1])
      throw new Error("disk")
    })
    await expect(failing).rejects.toThrow("disk")
    await claim(async () => [])
    expect(take("a", 9)).toHaveLength(8)
  })

  it("are never more than there are, and all there again in the end, whatever happens in whatever order", async () => {
    const step = fc.record({
      what: fc.constantFrom("reserve", "claim", "release", "silent", "answer"),
      app: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      count: fc.nat({ max: 9 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 60 }), async (maximum, steps) => {
        const slots = createDeliverySlots(maximum, appOf, () => {})
        for (const app of "abc") slots.note(app, true)
        const quarter = Math.max(1, Math.floor(maximum / 4))
        const held: Array<{ readonly app: string; readonly release: () => void }> = []
        const check = () => {
          expect(held.length).toBeLessThanOrEqual(maximum)
          for (const app of "abcdef") expect(held.filter((one) => one.app === app).length).toBeLessThanOrEqual(quarter)
        }
        const reserve = (app: string) => {
          const slot = slots.reserve(app)
          if (slot !== undefined) held.push({ app, release: slot.release })
          check()
        }
        for (const { what, app, count } of steps) {
          if (what === "reserve") reserve(app)
          else if (what === "release") held.splice(0, count).forEach(({ release }) => (release(), release()))
          else if (what === "claim") {
            const claimed = await slots.claim(async (roomOf) => {
              const due = Array.from({ length: Math.min(count, roomOf(app)) }, () => dueOf(app))
              for (const other of "abcdef") reserve(other)
              return due
            })
            for (const { slot } of claimed) held.push({ app, release: slot.release })
            check()
          } else slots.note(app, what === "answer")
        }
        for (const { release } of held) release()
        await slots.claim(async () => [])
        slots.note("a", true)
        expect(Array.from({ length: quarter + 1 }, () => slots.reserve("a")).filter(Boolean)).toHaveLength(quarter)
      }),
    )
  })
})
