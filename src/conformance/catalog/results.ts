import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog } from "../../ingest.ts"
import { driveCatalog } from "./drive-catalog.ts"

/** What apps answer of their files; part of the suite of all catalogs. */
export const testCatalogResults = (catalog: () => Catalog): void => {
  const { begin, commit, fail, register } = driveCatalog(catalog, { holdsClaims: true })

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
