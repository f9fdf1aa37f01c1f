import { describe, expect, it } from "vitest"
import type { Catalog } from "../../src/ingest.ts"
import { driveCatalog, dueOf } from "./drive-catalog.ts"

/** The events that apps are owed, and what they answer; part of the suite of all catalogs. */
export const testCatalogDeliveries = (catalog: () => Catalog): void => {
  const { begin, commit, fail, register, claim, end } = driveCatalog(catalog, { holdsClaims: true })

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

  describe("redelivery", () => {
    const redeliver = (id: string, now: number) => catalog().redeliver({ id, now })
    const deadOne = async () => {
      await register(["key"])
      await begin("key")
      const due = dueOf(await commit("key"))
      await end(due, "dead")
      return due
    }

    it("makes a dead event due at once, numbers its attempts on and starts the schedule again", async () => {
      const { id } = await deadOne()
      expect(await redeliver(id, 7000)).toBe(true)
      expect((await catalog().get("key"))?.delivery).toMatchObject({ id, status: "pending", attempts: 1, nextAt: 7000 })
      expect(await catalog().nextDueAt(6999)).toBe(7000)
      expect(await catalog().nextDueAt(7000)).toBeNull()
      const [again] = await claim(7000)
      expect(again).toMatchObject({ id, attempt: 2, retry: 0 })
      await end(again!, { retryAt: 8000 })
      expect(await claim(8000)).toMatchObject([{ attempt: 3, retry: 1 }])
    })

    it("takes a delivered event, and one that waits for its next attempt", async () => {
      await register(["delivered", "waiting"])
      for (const key of ["delivered", "waiting"]) await begin(key)
      const delivered = dueOf(await commit("delivered"))
      const waiting = dueOf(await commit("waiting"))
      await end(delivered, "delivered")
      await end(waiting, { retryAt: 90_000 })
      expect(await redeliver(delivered.id, 7000)).toBe(true)
      expect(await redeliver(waiting.id, 7000)).toBe(true)
      expect((await claim(7000)).map(({ id, retry }) => [id, retry])).toEqual([
        [delivered.id, 0],
        [waiting.id, 0],
      ])
    })

    it("leaves an attempt alone that is under way, and what it does not know", async () => {
      await register(["key"])
      await begin("key")
      const due = dueOf(await commit("key"))
      expect(await redeliver(due.id, 7000)).toBe(false)
      expect(await claim(7000)).toEqual([])
      expect(await redeliver("evt_unknown", 7000)).toBe(false)
    })

    describe("to another callback URL", () => {
      const former = "http://app.example/api/sluice"
      const wanted = "http://elsewhere.example:8080/a/longer/path/é"
      const urlOf = async (key: string) => (await catalog().get(key))?.registration?.callbackUrl

      it("sends the event there from now on, and those of the files it was registered with", async () => {
        await register(["key", "sibling", "later"])
        await register(["other"])
        for (const key of ["key", "sibling", "other"]) await begin(key)
        const due = dueOf(await commit("key"))
        await end(due, "dead")
        await commit("sibling", 1, { now: 7001, claimedUntil: null })
        await commit("other", 1, { now: 7002, claimedUntil: null })
        expect(await catalog().redeliver({ id: due.id, now: 7000, callbackUrl: wanted })).toBe(true)
        expect(await catalog().get("key")).toMatchObject({
          registration: { callbackUrl: wanted, callbackSlug: "avatar", metadata: '{"userId":7}' },
          delivery: { status: "pending", nextAt: 7000 },
        })
        await begin("later")
        await commit("later", 1, { now: 7003, claimedUntil: null })
        const urls = (await claim(9000, 4)).map(({ file, registration }) => [file.key, registration.callbackUrl])
        expect(urls).toEqual([
          ["key", wanted],
          ["sibling", wanted],
          ["other", former],
          ["later", wanted],
        ])
      })

      it("changes nothing of an event that it leaves alone", async () => {
        await register(["key"])
        await begin("key")
        const due = dueOf(await commit("key"))
        expect(await catalog().redeliver({ id: due.id, now: 7000, callbackUrl: wanted })).toBe(false)
        expect(await urlOf("key")).toBe(former)
      })

      it("counts what the new one takes", async () => {
        const { id } = await deadOne()
        const before = await catalog().usage("app")
        await redeliver(id, 7000)
        expect(await catalog().usage("app")).toEqual(before)
        const [again] = await claim(7000)
        await end(again!, "dead")
        await catalog().redeliver({ id, now: 8000, callbackUrl: wanted })
        const added = new TextEncoder().encode(wanted).length - former.length
        expect((await catalog().usage("app")).catalogBytes).toBe(before.catalogBytes + added)
      })
    })

    it("refuses an event of a development stream that nobody could acknowledge", async () => {
      await register(["key"], { isDev: true })
      await begin("key")
      await fail("key", 1, { eventId: "evt_old" })
      await begin("key", { expires: 99_000 })
      expect((await catalog().findDelivery("evt_old"))?.delivery.status).toBe("dead")
      expect(await redeliver("evt_old", 7000)).toBe(false)
    })
  })

  describe("results", () => {
    it("are kept with the file; data outlasts an error, an error does not outlast data", async () => {
      await begin("key")
      await commit("key")
      const record = (result: { data: string } | { error: string }) =>
        catalog().recordResult({ appId: "app", key: "key", result, now: 3000 })
      expect(await record({ error: "boom" })).toBe(true)
      expect((await catalog().get("key"))?.result).toEqual({ error: "boom" })
      await record({ data: '{"a":1}' })
      await record({ error: "late" })
      expect((await catalog().get("key"))?.result).toEqual({ data: '{"a":1}' })
    })

    it("of a failed file only acknowledge its event", async () => {
      await register(["key"], { isDev: true })
      await begin("key")
      await fail("key", 1, { eventId: "evt_f" })
      expect(await catalog().recordResult({ appId: "app", key: "key", result: { data: "1" }, now: 1 })).toBe(true)
      expect(await catalog().get("key")).toMatchObject({ delivery: { status: "delivered" }, result: null })
    })

    it("are refused for files of other apps and for none", async () => {
      await begin("key")
      const result = { data: "1" }
      expect(await catalog().recordResult({ appId: "other", key: "key", result, now: 1 })).toBe(false)
      expect(await catalog().recordResult({ appId: "app", key: "unknown", result, now: 1 })).toBe(false)
    })
  })
}
