import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { AttemptRecord, Catalog, DueDelivery, ResultRecord } from "../../ingest.ts"
import { driveCatalog, dueOf } from "./drive-catalog.ts"

/** What apps answer of their files; part of the suite of all catalogs. */
export const testCatalogResults = (catalog: () => Catalog): void => {
  const { begin, claim, commit, fail, register } = driveCatalog(catalog, { holdsClaims: true })

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

    describe("that an attempt brought", () => {
      const attemptOf = (due: DueDelivery, outcome: AttemptRecord["outcome"], result: ResultRecord) => ({
        deliveryId: due.id,
        attempt: due.attempt,
        startedAt: 3000,
        latency: 7,
        status: 200,
        error: null,
        answer: null,
        outcome,
        result,
      })

      it("are kept with it, at its end", async () => {
        await register(["key"])
        await begin("key")
        const due = dueOf(await commit("key"))
        expect(await catalog().recordAttempt(attemptOf(due, "delivered", { data: '{"a":1}' }))).toBe(true)
        expect(await catalog().get("key")).toMatchObject({
          delivery: { status: "delivered" },
          result: { data: '{"a":1}' },
          resultAt: 3007,
        })
      })

      it("as an error are forgotten when the next one begins, and data outlast a later result", async () => {
        await register(["key"])
        await begin("key")
        const due = dueOf(await commit("key"))
        expect(await catalog().recordAttempt(attemptOf(due, { retryAt: 7000 }, { error: "boom" }))).toBe(true)
        expect((await catalog().get("key"))?.result).toEqual({ error: "boom" })
        const [again] = await claim(7000)
        expect((await catalog().get("key"))?.result).toBeNull()
        expect(await catalog().recordAttempt(attemptOf(again!, "delivered", { data: "1" }))).toBe(true)
        expect(await catalog().recordAttempt(attemptOf(again!, "delivered", { data: "2" }))).toBe(false)
        expect((await catalog().get("key"))?.result).toEqual({ data: "1" })
      })

      it("which is not the newest any more are kept as data, and not as an error", async () => {
        await register(["key"])
        await begin("key")
        const late = dueOf(await commit("key"))
        const [newest] = await claim(99_000)
        expect(newest?.attempt).toBe(2)
        expect(await catalog().recordAttempt(attemptOf(late, { retryAt: 99_500 }, { error: "late" }))).toBe(false)
        expect(await catalog().get("key")).toMatchObject({ result: null, delivery: { status: "pending", failures: 0 } })
        expect(await catalog().recordAttempt(attemptOf(late, "delivered", { data: "1" }))).toBe(true)
        expect(await catalog().get("key")).toMatchObject({ result: { data: "1" }, delivery: { status: "pending" } })
      })

      it("are not kept for a failed file, nor for one that is gone", async () => {
        await register(["key", "other"])
        await begin("key")
        await fail("key", 1, { eventId: "evt_f" })
        const [failed] = await claim(99_000)
        expect(await catalog().recordAttempt(attemptOf(failed!, "delivered", { data: "1" }))).toBe(false)
        expect(await catalog().get("key")).toMatchObject({ result: null, delivery: { status: "delivered" } })
        await begin("other")
        const due = dueOf(await commit("other"))
        await catalog().deleteFiles({ appId: "app", files: [{ fileKey: "other" }], now: 3000 })
        expect(await catalog().recordAttempt(attemptOf(due, "delivered", { data: "1" }))).toBe(false)
      })
    })

    it("are refused for files of other apps and for none", async () => {
      await begin("key")
      const result = { data: "1" }
      expect(await catalog().recordResult({ appId: "other", key: "key", result, now: 1 })).toBe(false)
      expect(await catalog().recordResult({ appId: "app", key: "unknown", result, now: 1 })).toBe(false)
    })

    it("count what is kept of them, and nothing that another result took the place of", async () => {
      await begin("key")
      await commit("key")
      const { catalogBytes } = await catalog().usage("app")
      const addedBy = async (result: { data: string } | { error: string }) => {
        await catalog().recordResult({ appId: "app", key: "key", result, now: 3000 })
        return (await catalog().usage("app")).catalogBytes - catalogBytes
      }
      expect(await addedBy({ error: "first" })).toBe(5)
      expect(await addedBy({ error: "second" })).toBe(6)
      expect(await addedBy({ data: "{}" })).toBe(2)
      expect(await addedBy({ error: "late" })).toBe(2)
      expect(await addedBy({ data: '{"a":1}' })).toBe(2)
    })
  })
}
