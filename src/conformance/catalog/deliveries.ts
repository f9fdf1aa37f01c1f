import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog } from "../../ingest.ts"
import { driveCatalog, dueOf } from "./drive-catalog.ts"

/** The events that apps are owed, and what they answer; part of the suite of all catalogs. */
export const testCatalogDeliveries = (catalog: () => Catalog): void => {
  const { begin, commit, register, claim, end } = driveCatalog(catalog, { holdsClaims: true })

  describe("deliveries", () => {
    it("are claimed once until the claim ends, oldest first, no more than asked for", async () => {
      const keys = ["a", "b", "c"]
      await register(keys)
      for (const [index, key] of keys.entries()) {
        await begin(key)
        await commit(key, 1, { now: 2000 + index, claimedUntil: null })
      }
      expect((await claim(2001)).map(({ file }) => file.key)).toEqual(["a", "b"])
      expect(await claim(2001)).toEqual([])
      expect((await claim(5000, 2)).map(({ file }) => file.key)).toHaveLength(2)
      expect((await claim(5000, 2)).map(({ file }) => file.key)).toHaveLength(1)
    })

    describe("of several apps", () => {
      /** Each app's files are due one ms after another, from `from`. */
      const owe = async (appId: string, count: number, from: number) => {
        const keys = Array.from({ length: count }, (_, index) => `${appId}-${index}`)
        await register(keys, { appId })
        for (const [index, key] of keys.entries()) {
          await begin(key, { appId })
          await commit(key, 1, { now: from + index, claimedUntil: null })
        }
      }
      const claimBy = async (room: Readonly<Record<string, number>>, limit = 100, now = 5000) => {
        const roomOf = (appId: string) => room[appId] ?? 0
        const due = await catalog().claimDue({ channel: "callback", now, claimedUntil: 9000, limit, roomOf })
        return due.map(({ file }) => file.key)
      }

      it("are claimed as each has room, the oldest of each first", async () => {
        await owe("hung", 40, 2000)
        await owe("well", 3, 3000)
        await owe("slow", 3, 2500)
        expect(await claimBy({ hung: 0, well: 2, slow: 1 })).toEqual(["slow-0", "well-0", "well-1"])
        expect(await claimBy({ hung: 2, well: 9, slow: 0 })).toEqual(["hung-0", "hung-1", "well-2"])
        expect(await claimBy({})).toEqual([])
        expect(await claimBy({ hung: 99, well: 99, slow: 99 }, 5)).toEqual(
          [2, 3, 4, 5, 6].map((index) => `hung-${index}`),
        )
        expect(await claimBy({ well: 99, slow: 99 })).toEqual(["slow-1", "slow-2"])
      })

      it("ask for room only of those that have something due", async () => {
        await owe("later", 1, 8000)
        await owe("now", 1, 2000)
        await owe("done", 1, 2000)
        await register(["dev"], { appId: "dev", isDev: true })
        await begin("dev", { appId: "dev" })
        await commit("dev", 1, { now: 2000, claimedUntil: null })
        const asked: Array<string> = []
        const look = (now: number) =>
          catalog().claimDue({
            channel: "callback",
            now,
            claimedUntil: 9000,
            limit: 10,
            roomOf: (appId) => (asked.push(appId), 1),
          })
        for (const due of await look(2500)) await end(due, "delivered")
        expect(asked.toSorted()).toEqual(["done", "now"])
        asked.length = 0
        expect(await look(2500)).toEqual([])
        expect(asked).toEqual([])
      })

      it("say when the next one falls due, whoever has some due already", async () => {
        await owe("hung", 3, 2000)
        await owe("later", 1, 8000)
        await owe("soon", 1, 6000)
        expect(await catalog().nextDueAt(5000)).toBe(6000)
        expect(await catalog().nextDueAt(6000)).toBe(8000)
        expect(await catalog().nextDueAt(8000)).toBeNull()
      })
    })

    it("are over when delivered", async () => {
      await register(["key"])
      await begin("key")
      await end(dueOf(await commit("key")), "delivered")
      expect((await catalog().get("key"))?.delivery).toMatchObject({ status: "delivered", attempts: 1, failures: 0 })
      expect(await claim(99_000)).toEqual([])
      expect(await catalog().nextDueAt(0)).toBeNull()
    })

    it("come back when they are to be tried again, with the same id", async () => {
      await register(["key"])
      await begin("key")
      await end(dueOf(await commit("key")), { retryAt: 7000 })
      expect((await catalog().get("key"))?.delivery).toMatchObject({ status: "pending", attempts: 1, failures: 1 })
      expect(await catalog().nextDueAt(6999)).toBe(7000)
      expect(await catalog().nextDueAt(7000)).toBeNull()
      expect(await claim(6999)).toEqual([])
      const [again] = await claim(7000)
      expect(again).toMatchObject({ id: "evt_1", attempt: 2 })
      await end(again!, "dead")
      expect((await catalog().get("key"))?.delivery).toMatchObject({ status: "dead", failures: 2 })
      expect(await claim(99_000)).toEqual([])
    })

    it("carry the trace their registration came with", async () => {
      const trace = { traceparent: `00-${"a".repeat(32)}-${"b".repeat(16)}-01`, tracestate: "vendor=1" }
      await register(["traced"], { trace })
      await register(["stateless"], { trace: { traceparent: trace.traceparent } })
      await register(["plain"])
      for (const key of ["traced", "stateless", "plain"]) await begin(key)
      expect(dueOf(await commit("traced")).registration.trace).toEqual(trace)
      await commit("stateless", 1, { claimedUntil: null })
      await commit("plain", 1, { claimedUntil: null })
      const traces = (await claim(5000)).map(({ registration }) => registration.trace)
      expect(traces).toEqual([{ traceparent: trace.traceparent }, null])
    })

    it("are counted while pending and when dead, up to a limit", async () => {
      expect(await catalog().countDeliveries(10)).toEqual({ pending: 0, dead: 0 })
      const keys = ["a", "b", "c", "d"]
      await register(keys)
      for (const key of keys) await begin(key)
      const [a, b, c] = [dueOf(await commit("a")), dueOf(await commit("b")), dueOf(await commit("c"))]
      await commit("d", 1, { claimedUntil: null })
      await end(a, "delivered")
      await end(b, "dead")
      await end(c, { retryAt: 9000 })
      expect(await catalog().countDeliveries(10)).toEqual({ pending: 2, dead: 1 })
      expect(await catalog().countDeliveries(1)).toEqual({ pending: 1, dead: 1 })
    })

    it("do not mind the late end of an attempt that was claimed by another since", async () => {
      await register(["key"])
      await begin("key")
      const first = dueOf(await commit("key", 1, { claimedUntil: 3000 }))
      const [second] = await claim(3000)
      await end(first, "dead")
      expect((await catalog().get("key"))?.delivery?.status).toBe("pending")
      await end(second!, "delivered")
      expect((await catalog().get("key"))?.delivery?.status).toBe("delivered")
    })

    it("have each attempt recorded once, as it was first told", async () => {
      await register(["key"])
      await begin("key")
      const due = dueOf(await commit("key"))
      await end(due, "delivered")
      await end(due, "dead")
      expect(await catalog().listAttempts(due.id)).toMatchObject([{ attempt: 1, status: 200 }])
      expect((await catalog().get("key"))?.delivery?.status).toBe("delivered")
    })

    it("count no attempt as failed that delivered, on a development stream neither", async () => {
      const channel = { appId: "app", callbackSlug: "avatar" }
      await register(["key"], { isDev: true })
      await begin("key")
      await commit("key")
      const claimed = { now: 3000, claimedUntil: 3000, limit: 10 }
      const [lost] = await catalog().claimDue({ channel, ...claimed })
      await end(lost!, { retryAt: 3000 })
      expect((await catalog().get("key"))?.delivery).toMatchObject({ attempts: 1, failures: 1 })
      const [heard] = await catalog().claimDue({ channel, ...claimed })
      await end(heard!, "delivered")
      const delivery = { status: "delivered", attempts: 2, failures: 1 }
      expect((await catalog().get("key"))?.delivery).toMatchObject(delivery)
    })

    it("are due at once when all claims are released", async () => {
      await register(["key"])
      await begin("key")
      await commit("key")
      await catalog().releaseClaims(2500)
      expect(await claim(2500)).toMatchObject([{ attempt: 2 }])
    })

    it("of a development stream are claimed by its app and slug, and over when the result is posted", async () => {
      await register(["key"], { isDev: true })
      await begin("key")
      expect(await commit("key")).toMatchObject({ due: null })
      expect(await claim(99_000)).toEqual([])
      expect(await catalog().nextDueAt(0)).toBeNull()
      const claimDev = (callbackSlug: string, except: ReadonlyArray<string> = []) =>
        catalog().claimDue({
          channel: { appId: "app", callbackSlug },
          now: 3000,
          claimedUntil: 3000,
          limit: 10,
          except: new Set(except),
        })
      expect(await claimDev("other")).toEqual([])
      expect(await claimDev("avatar")).toMatchObject([{ id: "evt_1", attempt: 1 }])
      expect(await claimDev("avatar", ["evt_1"])).toEqual([])
      expect(await claimDev("avatar")).toMatchObject([{ id: "evt_1", attempt: 2 }])
      await catalog().recordResult({ appId: "app", key: "key", result: { data: "null" }, now: 4000 })
      expect((await catalog().get("key"))?.delivery?.status).toBe("delivered")
      expect(await claimDev("avatar")).toEqual([])
    })
  })
}
