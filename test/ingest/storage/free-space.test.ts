import { expect, test } from "vitest"
import { Rejected } from "../../../src/server-kit/rejected.ts"
import { createFreeSpace } from "../../../src/ingest/storage/free-space.ts"

test.each([
  ["rejects", () => Promise.reject(new Error("The disk cannot be asked."))],
  [
    "throws",
    () => {
      throw new Error("The disk cannot be asked.")
    },
  ],
])("a store whose `free` %s is not asked in vain: bytes are taken", async (_, free) => {
  const space = createFreeSpace({ store: { free } }, 1000)
  await space.take(10)
  await space.take(10)
})

test("`free` may be a method of a class, and keeps the reserve", async () => {
  class Disk {
    readonly #left = 1500
    async free() {
      return this.#left
    }
  }
  const space = createFreeSpace({ store: new Disk() }, 1000)
  await space.take(400)
  expect(() => space.take(200)).toThrow(Rejected)
})

test("who only asks whether there is room takes none of it", async () => {
  const space = createFreeSpace({ store: { free: async () => 1500 }, catalog: { free: async () => 1400 } }, 1000)
  for (let times = 0; times < 5; times++) await space.wouldAdmit(400)
  expect(() => space.wouldAdmit(401)).toThrow(Rejected)
  await space.admit(400)
  expect(() => space.wouldAdmit(1)).toThrow(Rejected)
})
