import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog } from "../../ingest.ts"
import { driveCatalog, grantOf } from "./drive-catalog.ts"
import { driveLabels } from "./drive-labels.ts"

/** Where a file is looked for, and when. */
interface FindAmong {
  readonly appId?: string
  readonly owner?: string | undefined
  readonly now?: number
}

/** Files that are found by their path; part of the suite of all catalogs. */
export const testCatalogPaths = (catalog: () => Catalog): void => {
  const { commit, fail, register, remove, reclaimAll } = driveCatalog(catalog)
  const { begin, commitWhole } = driveLabels(catalog)
  const find = async (path: string, among: FindAmong = {}) => {
    const { appId = "app", owner, now = 2500 } = among
    return (await catalog().findByPath({ appId, path, owner, now }))?.key
  }

  describe("a file by its path", () => {
    it("is the newest of its app that has exactly this path", async () => {
      await commitWhole("a", { path: "p/1", owner: "u" })
      await commitWhole("b", { path: "p/1", owner: "v" })
      await begin("c", { path: "p/1" })
      await commitWhole("d", { path: "p/1" }, { appId: "other" })
      await commitWhole("e", {})
      expect(await find("p/1")).toBe("b")
      await commit("c")
      expect(await find("p/1")).toBe("c")
      expect(await catalog().findByPath({ appId: "app", path: "p/1", now: 2500 })).toEqual(
        (await catalog().get("c"))?.file,
      )
      expect(await find("p/1", { appId: "other" })).toBe("d")
      expect(await find("p/1", { appId: "none" })).toBe(undefined)
      for (const path of ["p/", "p", "p/11", "P/1", "p/%", "p/_", "p/1/", ""]) expect(await find(path)).toBe(undefined)
    })

    it("is compared byte by byte, whatever its characters", async () => {
      const paths = ["e\u0301", "\u00e9", "\u{10ffff}", "\u{ffff}", "a%2fb", "a b", "a\u00adb", "'", "__proto__"]
      for (const [i, path] of paths.entries()) await commitWhole(`key-${i}`, { path })
      for (const [i, path] of paths.entries()) expect(await find(path)).toBe(`key-${i}`)
    })

    it("is of the owner alone where one is named", async () => {
      await commitWhole("a", { path: "p/1", owner: "u" })
      await commitWhole("b", { path: "p/1", owner: "v" })
      await commitWhole("c", { path: "p/1" })
      expect(await find("p/1")).toBe("c")
      expect(await find("p/1", { owner: "u" })).toBe("a")
      expect(await find("p/1", { owner: "v" })).toBe("b")
      expect(await find("p/1", { owner: "U" })).toBe(undefined)
      expect(await find("p/1", { owner: "u", appId: "other" })).toBe(undefined)
    })

    it("is never one that is not stored, held, waits to be claimed, or is deleted, and these hide no older one", async () => {
      const path = "p/1"
      await commitWhole("stored", { path, owner: "u" })
      await begin("begun", { path, owner: "u" })
      await begin("failed", { path, owner: "u" })
      await fail("failed")
      await commitWhole("held", { path, owner: "u", hold: true })
      await commitWhole("pending", { path, owner: "u", claimWithin: 9000 })
      await commitWhole("deleted", { path, owner: "u" })
      await remove(["deleted"], 2100)
      for (const owner of [undefined, "u"]) expect(await find(path, { owner })).toBe("stored")
      await catalog().claimFiles({ appId: "app", keys: ["pending"], replaces: [], now: 2200 })
      for (const owner of [undefined, "u"]) expect(await find(path, { owner })).toBe("pending")
      await remove(["pending", "stored"], 2300)
      for (const owner of [undefined, "u"]) expect(await find(path, { owner })).toBe(undefined)
      await reclaimAll()
      expect(await find(path)).toBe(undefined)
    })

    it("is none whose time has passed, and it hides no older one then", async () => {
      await commitWhole("for ever", { path: "p/1", owner: "u" })
      await commitWhole("for a while", { path: "p/1", owner: "u", keepFor: 1000 })
      for (const owner of [undefined, "u"]) {
        expect(await find("p/1", { owner, now: 2999 })).toBe("for a while")
        expect(await find("p/1", { owner, now: 3000 })).toBe("for ever")
      }
    })

    it("is none that no app has registered, until it is", async () => {
      const grant = grantOf("key", { registrationId: "x" })
      await commitWhole("older", { path: "p/1", owner: "u" })
      await commitWhole("key", { path: "p/1", owner: "u" }, grant)
      for (const owner of [undefined, "u"]) expect(await find("p/1", { owner })).toBe("older")
      await register(["key"], { id: "x" })
      for (const owner of [undefined, "u"]) expect(await find("p/1", { owner })).toBe("key")
    })

    it("is found where it was moved to and not where it was", async () => {
      await commitWhole("a", { path: "p/1", owner: "u" })
      await commitWhole("b", { owner: "u" })
      const move = (fileKey: string, path: string | null) =>
        catalog().changeFiles({ appId: "app", changes: [{ file: { fileKey }, path }], now: 2100 })
      await move("a", "q/1")
      for (const owner of [undefined, "u"]) {
        expect(await find("p/1", { owner })).toBe(undefined)
        expect(await find("q/1", { owner })).toBe("a")
      }
      await move("b", "q/1")
      expect(await find("q/1")).toBe("b")
      await move("b", null)
      expect(await find("q/1")).toBe("a")
    })

    it("is none that a deletion by owner or prefix means, before its row is reached", async () => {
      for (const key of ["a", "b", "c"]) await commitWhole(key, { path: `p/${key}`, owner: "u" })
      await catalog().deleteMatching({ appId: "app", selection: { prefix: "p/" }, limit: 1, now: 2100 })
      for (const key of ["a", "b", "c"])
        for (const owner of [undefined, "u"]) expect(await find(`p/${key}`, { owner })).toBe(undefined)
    })
  })
}
