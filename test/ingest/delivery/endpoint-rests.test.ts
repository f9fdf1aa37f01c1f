import { expect, it } from "vitest"
import { createRests } from "../../../src/ingest/delivery/endpoint-rests.ts"

it("an endpoint that fails again and again is left alone for longer and longer, up to a second, until it takes an event", () => {
  const rests = createRests()
  const fail = () => rests.after("ep_1", false)
  expect(Array.from({ length: 11 }, fail)).toEqual([0, 0, 0, 20, 40, 80, 160, 320, 640, 1000, 1000])
  expect(Array.from({ length: 2000 }, fail).at(-1)).toBe(1000)
  expect(rests.after("ep_2", false)).toBe(0)
  expect(rests.after("ep_1", true)).toBe(0)
  expect(Array.from({ length: 4 }, fail)).toEqual([0, 0, 0, 20])
})
