import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createDeliverySlots, judgePromptness } from "../../../src/ingest/delivery/delivery-slots.ts"
import type { DueDelivery } from "../../../src/ingest.ts"

const dueOf = (appId: string) => ({ file: { appId } }) as DueDelivery

const appOf = ({ file }: DueDelivery) => file.appId

/** @param answering apps that answered last time, or from now on where nothing else is said */
const start = (maximum: number, answering: ReadonlyArray<string> = ["a", "b", "c"]) => {
  let woken = 0
  const slots = createDeliverySlots(maximum, appOf, () => woken++)
  for (const appId of answering) slots.note(appId, "prompt")
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

  it("are at most a quarter for apps that did not answer, and half with those that did not promptly, however many they are", () => {
    const { take, note } = start(32, ["hung 0"])
    const hung = Array.from({ length: 40 }, (_, index) => `hung ${index}`)
    // It has its slots before it is known to hang.
    const first = take("hung 0", 4)
    for (const appId of hung) note(appId, "none")
    expect(hung.map((appId) => take(appId, 9).length)).toEqual([0, 2, 2, ...Array.from({ length: 37 }, () => 0)])
    const slow = ["slow 1", "slow 2", "slow 3"]
    for (const appId of slow) note(appId, "late")
    expect(slow.map((appId) => take(appId, 99).length)).toEqual([8, 0, 0])
    note("good", "prompt")
    expect(take("good", 9)).toHaveLength(8)
    for (const slot of first) slot.release()
  })

  it("are at most three quarters for all of these and new ones, so that one that is prompt always has some", async () => {
    const { take, note, claim } = start(32, ["good"])
    for (const appId of ["slow 1", "slow 2"]) note(appId, "late")
    expect(["slow 1", "slow 2"].map((appId) => take(appId, 99).length)).toEqual([8, 8])
    // An eighth is for what arrives now.
    const claimed = await claim(async (roomOf) =>
      Array.from({ length: 20 }, (_, index) => `old ${index}`).flatMap((appId) =>
        Array.from({ length: roomOf(appId) }, () => dueOf(appId)),
      ),
    )
    expect(claimed.map(({ due }) => appOf(due))).toEqual(["old 0", "old 0", "old 1", "old 1"])
    const fresh = Array.from({ length: 20 }, (_, index) => `new ${index}`)
    expect(fresh.flatMap((appId) => take(appId, 9))).toHaveLength(4)
    expect(take("good", 9).length).toBeGreaterThanOrEqual(2)
    // Nor do slow ones take what is left.
    note("slow 3", "late")
    expect(take("slow 3", 9)).toHaveLength(0)
  })

  it("are an app's again once it has been prompt three times, and not every other time", () => {
    const { take, note } = start(32, ["a"])
    note("a", "late")
    for (const answer of ["prompt", "prompt", "none", "prompt", "prompt"] as const) note("a", answer)
    for (const appId of ["b", "c"]) note(appId, "late")
    expect(["b", "c"].flatMap((appId) => take(appId, 9))).toHaveLength(16)
    expect(take("a", 9)).toHaveLength(0)
    note("a", "prompt")
    expect(take("d", 9)).toHaveLength(2)
    note("e", "prompt")
    expect(take("e", 9).length).toBeGreaterThan(1)
  })

  it("are given in turn where there are too few: who has waited longest comes first, however much others have to be sent", async () => {
    const { claim, note } = start(16, [])
    const apps = ["a", "b", "c", "d", "e", "f"]
    for (const appId of apps) note(appId, "none")
    // The catalog asks in the order of the oldest event, and that of `a` is always the oldest.
    const order: Array<string> = []
    const claimOnce = async () => {
      const claimed = await claim(async (roomOf) =>
        apps.flatMap((appId) => Array.from({ length: Math.min(9, roomOf(appId)) }, () => dueOf(appId))),
      )
      for (const { due, slot } of claimed) {
        order.push(appOf(due))
        slot.release()
      }
    }
    for (let count = 0; count < 6; count++) await claimOnce()
    expect(order.slice(0, 8)).toEqual(["a", "a", "b", "b", "c", "c", "d", "d"])
    expect(new Set(order.slice(0, 16))).toEqual(new Set(apps))
    for (const appId of apps) expect(order.filter((one) => one === appId).length).toBeGreaterThanOrEqual(3)
  })

  it("go to whoever was refused before they go again to one that has just had some", () => {
    const { take, note } = start(16, [])
    for (const appId of ["a", "b", "c"]) note(appId, "none")
    const [first, second] = [take("a", 2), take("b", 2)]
    expect([...first, ...second, ...take("c", 1)]).toHaveLength(4)
    for (const slot of first) slot.release()
    expect(take("a", 1)).toHaveLength(0)
  })

  it("are free for new ones again, however many new ones have become others while they had one", () => {
    const { take, note } = start(16, [])
    for (let count = 0; count < 40; count++) {
      const [slot] = take(`new ${count}`, 1)
      expect(slot).toBeDefined()
      note(`new ${count}`, "prompt")
      slot!.release()
    }
  })

  it.each([
    [undefined, 10, "prompt"],
    [undefined, 5001, "late"],
    [{ reason: "status", status: 500 }, 10, "prompt"],
    [{ reason: "status", status: 500 }, 29_000, "late"],
    [{ reason: "timeout" }, 30_000, "none"],
    [{ reason: "unreachable" }, 1, "none"],
    [{ reason: "forbidden" }, 1, undefined],
    [{ reason: "forbidden" }, 9000, "late"],
  ] as const)("go by the answer: %j after %d ms is %s", (failure, latency, answer) => {
    expect(judgePromptness(failure as Parameters<typeof judgePromptness>[0], latency)).toBe(answer)
  })

  it("are at least one, however few there are", () => {
    for (const maximum of [1, 2, 3]) {
      expect(start(maximum).take("a", 9)).toHaveLength(1)
      const { take, note } = start(maximum, [])
      const [slot] = take("new", 9)
      expect(slot).toBeDefined()
      slot!.release()
      note("late", "late")
      expect(take("late", 9)).toHaveLength(1)
    }
  })

  it("are two for an app until it has answered, which wakes what waits for more; one where many are new", () => {
    const { take, note, woken } = start(32, [])
    const many = start(32, [])
    expect(["b", "c", "d", "e", "f", "g"].map((appId) => many.take(appId, 9).length)).toEqual([2, 2, 2, 2, 1, 1])
    expect(take("a", 9)).toHaveLength(2)
    expect(woken()).toBe(0)
    note("a", "prompt")
    expect(woken()).toBe(1)
  })

  it("are two for an app that did not answer, and its quarter again once it does", () => {
    const { take, note } = start(32)
    const held = take("a", 8)
    expect([note("a", "none"), note("a", "none")]).toEqual([true, false])
    for (const slot of held.splice(0, 7)) slot.release()
    expect(take("b", 8)).toHaveLength(8)
    held.push(...take("a", 9))
    expect(held.length).toBeLessThanOrEqual(2)
    for (const slot of held) slot.release()
    expect([note("a", "prompt"), note("a", "prompt")]).toEqual([true, false])
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
      what: fc.constantFrom("reserve", "claim", "release", "silent", "late", "answer"),
      app: fc.constantFrom("a", "b", "c", "d", "e", "f"),
      count: fc.nat({ max: 9 }),
    })
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.array(step, { maxLength: 60 }), async (maximum, steps) => {
        const slots = createDeliverySlots(maximum, appOf, () => {})
        for (const app of "abc") slots.note(app, "prompt")
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
          } else slots.note(app, what === "answer" ? "prompt" : what === "late" ? "late" : "none")
        }
        for (const { release } of held) release()
        await slots.claim(async () => [])
        slots.note("a", "prompt")
        expect(Array.from({ length: quarter + 1 }, () => slots.reserve("a")).filter(Boolean)).toHaveLength(quarter)
      }),
    )
  })
})
