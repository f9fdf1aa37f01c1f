import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog } from "../../ingest.ts"
import { driveCatalog, dueOf } from "./drive-catalog.ts"

/** What operators look at; part of the suite of all catalogs. */
export const testCatalogHistory = (catalog: () => Catalog): void => {
  const { begin, commit, fail, register, claim, end, expire } = driveCatalog(catalog, { holdsClaims: true })

  describe("what operators look at", () => {
    /** Files a to e: uploaded, failed, under way, uploaded, and failed again under a key that was taken since. */
    const fill = async () => {
      await register(["a", "b", "e"])
      for (const key of ["a", "b", "c", "d", "e"]) await begin(key)
      await commit("a", 1, { claimedUntil: null })
      await fail("b", 1, { now: 4000 })
      await commit("d")
      await fail("e", 1, { now: 4000 })
      await begin("e", { expires: 99_000 })
    }

    it("lists files newest first, page by page, those that hold their key", async () => {
      await fill()
      const first = await catalog().list({ limit: 2 })
      const second = await catalog().list({ limit: 9, before: first.at(-1)!.id })
      expect([...first, ...second].map(({ key }) => key)).toEqual(["e", "d", "c", "b", "a"])
      expect(first[0]).toEqual((await catalog().get("e"))?.file)
      expect(await catalog().list({ limit: 9, before: second.at(-1)!.id })).toEqual([])
    })

    it("lists files of a status", async () => {
      await fill()
      const keysOf = async (status: "Uploaded" | "Uploading" | "Failed" | "Deleting") =>
        (await catalog().list({ status, limit: 9 })).map(({ key }) => key)
      expect(await keysOf("Uploaded")).toEqual(["d", "a"])
      expect(await keysOf("Uploading")).toEqual(["e", "c"])
      expect(await keysOf("Failed")).toEqual(["b"])
      expect(await keysOf("Deleting")).toEqual([])
      const [newest] = await catalog().list({ status: "Uploaded", limit: 1 })
      expect(await catalog().list({ status: "Uploaded", limit: 1, before: newest!.id })).toMatchObject([{ key: "a" }])
    })

    it("lists events newest first, also of files whose key was taken, and by status", async () => {
      await fill()
      const all = await catalog().listDeliveries({ limit: 9 })
      expect(all.map(({ file, delivery }) => [file.key, delivery.hook])).toEqual([
        ["e", "error"],
        ["b", "error"],
        ["a", "callback"],
      ])
      expect(await catalog().listDeliveries({ limit: 9, before: all[1]!.file.id })).toMatchObject([
        { file: { key: "a" }, registration: { callbackSlug: "avatar" } },
      ])
      for (const due of await claim(5000)) {
        await end(due, due.file.key === "a" ? "delivered" : due.file.key === "b" ? "dead" : { retryAt: 9000 })
      }
      const keysOf = async (status: "pending" | "delivered" | "dead") =>
        (await catalog().listDeliveries({ status, limit: 9 })).map(({ file }) => file.key)
      expect([await keysOf("pending"), await keysOf("delivered"), await keysOf("dead")]).toEqual([["e"], ["a"], ["b"]])
      expect((await catalog().listDeliveries({ status: "pending", limit: 1 }))[0]?.delivery.nextAt).toBe(9000)
    })

    it("finds an event by its id, with every attempt and what the app answered", async () => {
      await register(["key"])
      await begin("key")
      const first = dueOf(await commit("key"))
      expect(await catalog().listAttempts(first.id)).toEqual([])
      await end(first, { retryAt: 3000 })
      const [second] = await claim(3000)
      await end(second!, "delivered")
      expect(await catalog().findDelivery(first.id)).toEqual(await catalog().get("key"))
      expect(await catalog().listAttempts(first.id)).toEqual([
        { attempt: 1, startedAt: 2000, latency: 5, status: 500, error: "no", answer: "ok" },
        { attempt: 2, startedAt: 2000, latency: 5, status: 200, error: null, answer: "ok" },
      ])
      expect(await catalog().findDelivery("evt_unknown")).toBeNull()
      expect(await catalog().listAttempts("evt_unknown")).toEqual([])
    })

    it("knows when each stage was", async () => {
      await begin("key", {}, 1000)
      await begin("key", {}, 1200)
      await register(["key"], { now: 1500 })
      await commit("key", 2, { now: 2000 })
      await catalog().recordResult({ appId: "app", key: "key", result: { error: "No." }, now: 2500 })
      await catalog().recordResult({ appId: "app", key: "key", result: { data: "1" }, now: 3000 })
      await catalog().recordResult({ appId: "app", key: "key", result: { data: "2" }, now: 3500 })
      expect(await catalog().get("key")).toMatchObject({
        file: { createdAt: 1000, resumedAt: 1200, uploadedAt: 2000, endedAt: null },
        registration: { registeredAt: 1500 },
        result: { data: "1" },
        resultAt: 3000,
      })
    })

    it("knows when a file ended: failed, expired or dropped", async () => {
      for (const key of ["failed", "expired", "dropped"]) await begin(key)
      await commit("dropped")
      await fail("failed", 1, { now: 4000 })
      await expire({ expired: 10_001, unregistered: 99_000 })
      const endOf = async (key: string) => (await catalog().get(key))?.file.endedAt
      expect([await endOf("failed"), await endOf("expired"), await endOf("dropped")]).toEqual([4000, 50_000, 50_000])
    })
  })
}
