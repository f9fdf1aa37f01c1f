import * as Effect from "effect/Effect"
import { expect, it, onTestFinished } from "vitest"
import type { ProcessLook } from "../../../src/ingest.ts"
import { createMembership, processTimes } from "../../../src/ingest/processes/membership.ts"

it("a process does nothing by its own clock until it has heard from the catalog what time it is", async () => {
  const hour = 3_600_000
  const told: ProcessLook = { now: Date.now() - hour, stops: [], others: {}, hasReleased: false }
  let looks = 0
  const membership = createMembership(
    {
      processes: {
        look: async () => {
          if (++looks < 3) throw new Error("The catalog is away.")
          return told
        },
        lead: async () => true,
        letGo: async () => {},
        moveClaims: async () => {},
        leave: async () => {},
      },
      countActive: () => ({}),
      isBusy: () => false,
      heard: () => {},
      lost: () => {},
      write: () => {},
    },
    { ...processTimes, look: 20 },
  )
  onTestFinished(membership.leave)
  const sweptAt: Array<number> = []
  const sweep = () =>
    Effect.runPromise(
      membership.alone(
        "sweep",
        Effect.sync(() => void sweptAt.push(membership.now())),
      ),
    )
  membership.join()
  const swept = sweep()
  expect(membership.isConnected()).toBe(false)
  await membership.joined()
  expect(looks).toBe(3)
  expect(membership.joined()).toBeUndefined()
  expect(membership.isConnected()).toBe(true)
  expect(await swept).toBe(true)
  expect(sweptAt).toHaveLength(1)
  expect(sweptAt[0]).toBeLessThan(Date.now() - hour / 2)
})
