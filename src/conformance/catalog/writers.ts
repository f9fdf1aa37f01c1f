import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog } from "../../ingest.ts"
import type { UploadGrant } from "../../protocol.ts"
import { content, driveCatalog, grantOf } from "./drive-catalog.ts"
import { die, look, openOther, processesOf } from "./drive-processes.ts"

/** Which process writes a key, and how another one goes on with it; part of the suite of catalogs that are shared. */
export const testCatalogWriters = (catalog: () => Catalog, openBeside: () => Promise<Catalog>): void => {
  const { begin, commit, commitWhole, fail, remove, expire } = driveCatalog(catalog)
  const goOn = (
    process: Catalog,
    options: { unlessHeld?: boolean; quota?: number } = {},
    grant: Partial<UploadGrant> = {},
  ) =>
    process.begin({
      grant: grantOf("key", grant),
      origin: "http://ingest.example",
      now: 1200,
      unlessHeld: true,
      ...options,
    })
  const stopsOf = async (process: Catalog) => (await look(process)).stops
  const held = { kind: "held" }

  describe("a key that a process writes", () => {
    const other = openOther(openBeside)
    const granted = (epoch: number, isNew = false) => ({ kind: "granted", epoch, isNew })

    it("is held from another, whose wish it hears, until it lets go", async () => {
      await look(catalog())
      await look(other())
      await begin("key")
      expect(await stopsOf(catalog())).toEqual([])
      expect(await goOn(other())).toEqual(held)
      expect(await other().interrupt("key", true)).toBe("held")
      expect(await catalog().get("key")).toMatchObject({ file: { status: "Uploading", epoch: 1, resumedAt: null } })
      expect(await stopsOf(other())).toEqual([])
      expect(await stopsOf(catalog())).toEqual(["key"])
      expect(await stopsOf(catalog())).toEqual(["key"])
      await processesOf(catalog()).letGo("key", 1)
      expect(await stopsOf(catalog())).toEqual([])
      expect(await goOn(other())).toMatchObject(granted(2))
      expect(await goOn(catalog())).toEqual(held)
    })

    it("is held where a question where to go on would interrupt it, and by nobody once it has", async () => {
      await look(catalog())
      await look(other())
      await begin("key")
      expect(await other().interrupt("key", true)).toBe("held")
      expect(await stopsOf(catalog())).toEqual(["key"])
      await processesOf(catalog()).letGo("key", 1)
      expect(await other().interrupt("key", true)).toBe(2)
      expect(await catalog().interrupt("key", true)).toBe(3)
      expect(await goOn(catalog())).toMatchObject(granted(4))
      expect(await other().interrupt("never", true)).toBe(null)
    })

    it("is taken from it where it must be, and it hears of that", async () => {
      await look(catalog())
      await look(other())
      await begin("key")
      expect(await goOn(other(), { unlessHeld: false })).toMatchObject(granted(2))
      expect(await stopsOf(catalog())).toEqual(["key"])
      expect(await commit("key", 1)).toEqual({ kind: "fenced" })
      // What the first one says of its own epoch is nothing of the second one's.
      await processesOf(catalog()).letGo("key", 2)
      expect(await goOn(catalog())).toEqual(held)
      expect(await catalog().interrupt("key")).toBe(3)
      expect(await stopsOf(other())).toEqual(["key"])
      expect(await goOn(catalog())).toMatchObject(granted(4))
    })

    it("is not held from itself", async () => {
      await look(catalog())
      await begin("key")
      expect(await goOn(catalog())).toMatchObject(granted(2))
      expect(await catalog().interrupt("key", true)).toBe(3)
    })

    it("is held by its newest writer: an earlier one of the same process lets nothing go", async () => {
      await look(catalog())
      await begin("key")
      await begin("key")
      await processesOf(catalog()).letGo("key", 1)
      await processesOf(catalog()).letGo("another", 1)
      expect(await goOn(other())).toEqual(held)
      await processesOf(catalog()).letGo("key", 2)
      expect(await goOn(other())).toMatchObject(granted(3))
    })

    it("is not held by one that is dead, has left or has never looked", async () => {
      await begin("key")
      expect(await goOn(other())).toMatchObject(granted(2))
      await look(catalog())
      await begin("key")
      await die(catalog())
      expect(await goOn(other())).toMatchObject(granted(4))
      await look(other())
      expect(await goOn(other())).toMatchObject(granted(5))
      expect(await goOn(catalog())).toEqual(held)
      await processesOf(other()).leave()
      expect(await goOn(catalog())).toMatchObject(granted(6))
    })

    it("is held by one that comes back late, should nobody have noticed", async () => {
      await look(catalog())
      await begin("key")
      await die(catalog())
      await look(catalog())
      expect(await goOn(other())).toEqual(held)
    })

    it("is let go by itself when its upload ends", async () => {
      await look(catalog())
      await begin("key")
      await begin("failed")
      await commit("key")
      await fail("failed")
      expect(await stopsOf(catalog())).toEqual([])
      expect(await goOn(other())).toMatchObject({ kind: "finished" })
      expect(await other().interrupt("key", true)).toBe(null)
      await commitWhole("whole")
      expect(await stopsOf(catalog())).toEqual([])
    })

    it("is to be let go when its upload is deleted, expires or loses its key", async () => {
      await look(catalog())
      for (const key of ["deleted", "expired", "kept", "owned 1", "owned 2"]) {
        await catalog().begin({
          grant: grantOf(key, { expires: key === "expired" ? 5000 : 100_000 }),
          origin: "http://ingest.example",
          labels: key.startsWith("owned") ? { owner: "user-7" } : {},
          now: 1000,
        })
      }
      await remove(["deleted"])
      await expire({ expired: 6000 })
      expect((await stopsOf(catalog())).toSorted()).toEqual(["deleted", "expired"])
      await processesOf(catalog()).letGo("deleted", 1)
      await processesOf(catalog()).letGo("expired", 1)
      // Both are deleted from now on, though one row may not say so yet.
      await catalog().deleteMatching({ appId: "app", selection: { owner: "user-7" }, now: 3000, limit: 1 })
      expect((await stopsOf(catalog())).toSorted()).toEqual(["owned 1", "owned 2"])
    })

    it("is held from an upload that would take its place as well", async () => {
      await look(catalog())
      await begin("key", { registrationId: "a", issuedAt: 1 })
      const next = { registrationId: "b", issuedAt: 2 }
      expect(await goOn(other(), {}, next)).toEqual(held)
      expect(await stopsOf(catalog())).toEqual(["key"])
      expect(await catalog().get("key")).toMatchObject({ file: { registrationId: "a", status: "Uploading" } })
      await processesOf(catalog()).letGo("key", 1)
      expect(await goOn(other(), {}, next)).toMatchObject(granted(2, true))
    })

    it("is not asked for in vain: whoever has no right to it is told so", async () => {
      await look(catalog())
      await begin("key", { issuedAt: 2, registrationId: "a" })
      expect(await goOn(other(), {}, { appId: "another" })).toEqual({ kind: "taken" })
      expect(await goOn(other(), {}, { issuedAt: 1, registrationId: "b" })).toEqual({ kind: "taken" })
      const quota = content.length
      const larger = { size: 2 * quota, issuedAt: 3, registrationId: "b" }
      expect(await goOn(other(), { quota }, larger)).toMatchObject({ kind: "overQuota" })
      expect(await stopsOf(catalog())).toEqual([])
      await remove(["key"])
      expect(await goOn(other(), {}, { issuedAt: 2, registrationId: "a" })).toEqual({ kind: "deleted" })
    })
  })
}
