import { expect, it } from "vitest"
import { createLookups } from "../../../src/ingest/delivery/lookups.ts"
import type { HostAddress } from "../../../src/server-kit/resolve-host.ts"

const start = (answer: (hostname: string) => Promise<ReadonlyArray<HostAddress>>) => {
  const asked: Array<string> = []
  const clock = { now: 0 }
  const lookups = createLookups(
    async (hostname) => {
      asked.push(hostname)
      return answer(hostname)
    },
    () => clock.now,
  )
  return { lookups, asked, clock }
}

const one = (ttl?: number): HostAddress => ({ address: "192.0.2.1", family: 4, ttl })

it("keeps addresses for as long as their owner allows, for all receivers, and at most a minute", async () => {
  const ttls: Record<string, ReadonlyArray<number | undefined>> = {
    short: [300, 10],
    long: [3600],
    none: [0],
    unknown: [undefined],
    empty: [],
  }
  const { lookups, asked, clock } = start(async (hostname) => ttls[hostname]!.map(one))
  const askAll = async (now: number) => {
    clock.now = now
    asked.length = 0
    for (const hostname of Object.keys(ttls)) await lookups.find(`receiver at ${now}`, hostname)
    return asked.join(" ")
  }
  expect(await askAll(0)).toBe("short long none unknown empty")
  expect(await askAll(9999)).toBe("none unknown empty")
  expect(await askAll(10_000)).toBe("short none unknown empty")
  expect(await askAll(59_999)).toBe("short none unknown empty")
  expect(await askAll(60_000)).toBe("long none unknown empty")
})

it("finds what it keeps also for a receiver of whom another name hangs", async () => {
  const { lookups, asked } = start(async (hostname) => (hostname === "hung" ? new Promise(() => {}) : [one(30)]))
  await lookups.find("app", "fine")
  void lookups.find("app", "hung")
  expect(await lookups.find("app", "fine")).toEqual([one(30)])
  void lookups.find("app", "waits")
  await Promise.resolve()
  expect(asked).toEqual(["fine", "hung"])
})

it("keeps nothing of a look-up that failed", async () => {
  let isBroken = true
  const { lookups } = start(async () => {
    if (isBroken) throw new Error("It is broken.")
    return [one(30)]
  })
  await expect(lookups.find("app", "name")).rejects.toThrow("It is broken.")
  isBroken = false
  expect(await lookups.find("app", "name")).toEqual([one(30)])
})

it("is told to end when it is closed", async () => {
  let told: AbortSignal | undefined
  const lookups = createLookups((_hostname, signal) => {
    told = signal
    return new Promise(() => {})
  })
  void lookups.find("app", "name")
  expect(told?.aborted).toBe(false)
  lookups.close()
  expect(told?.aborted).toBe(true)
})
