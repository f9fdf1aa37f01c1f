import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import { type Catalog, toFileStatus } from "../../ingest.ts"
import { driveCatalog } from "./drive-catalog.ts"
import { driveLabels } from "./drive-labels.ts"

/** Files that are deleted by themselves, and how that is prevented; part of the suite of all catalogs. */
export const testCatalogClaims = (catalog: () => Catalog): void => {
  const { commit, fail, register, remove, fileOf } = driveCatalog(catalog)
  const { begin, commitWhole } = driveLabels(catalog)
  const claim = (keys: ReadonlyArray<string>, replaces: ReadonlyArray<string> = [], now = 3000) =>
    catalog().claimFiles({ appId: "app", keys, replaces: replaces.map((fileKey) => ({ fileKey })), now })
  const isMissing = (...keys: ReadonlyArray<string>) => ({ kind: "missing", keys })

  describe("a file that waits to be claimed", () => {
    const waits = { claimWithin: 500 }

    it("waits no longer once it is claimed, and twice is as good as once", async () => {
      await commitWhole("key", waits)
      expect(toFileStatus((await fileOf("key"))!)).toBe("Pending")
      const claimed = { kind: "claimed", replaced: [] }
      expect(await claim(["key"], [], 2499)).toEqual(claimed)
      expect(await fileOf("key")).toMatchObject({ status: "Uploaded", claimBy: null, claimWithin: null })
      expect(await claim(["key"], [], 99_000)).toEqual(claimed)
      expect(await catalog().deleteOverdue({ now: 99_000, limit: 10 })).toEqual([])
    })

    it("may be claimed before its last byte has arrived", async () => {
      await begin("key", waits)
      expect(await claim(["key"])).toEqual({ kind: "claimed", replaced: [] })
      await commit("key")
      expect(await fileOf("key")).toMatchObject({ status: "Uploaded", claimBy: null })
    })

    it("is claimed with all the others or not at all", async () => {
      await commitWhole("a", waits)
      await commitWhole("b", waits)
      await commitWhole("foreign", waits, { appId: "other" })
      await begin("failed", waits)
      await fail("failed")
      await remove(["b"], 2100)
      const asked = ["a", "b", "foreign", "failed", "never"]
      expect(await claim(asked, [], 2200)).toEqual(isMissing("b", "foreign", "failed", "never"))
      expect(await fileOf("a")).toMatchObject({ claimBy: 2500 })
    })

    it("is missing when its time has passed, whether it was swept or not", async () => {
      await commitWhole("key", waits)
      expect(await claim(["key"], [], 2500)).toEqual(isMissing("key"))
      expect(await catalog().deleteOverdue({ now: 2500, limit: 10 })).toEqual(["key"])
      expect(await claim(["key"], [], 2500)).toEqual(isMissing("key"))
    })

    it("takes the place of another, which is deleted in the same step", async () => {
      await commitWhole("old", {})
      await commitWhole("new", waits)
      expect(await claim(["new", "never"], ["old"], 2100)).toEqual(isMissing("never"))
      expect(await fileOf("old")).toMatchObject({ status: "Uploaded" })
      expect(await claim(["new"], ["old", "gone", "new"], 2100)).toEqual({ kind: "claimed", replaced: ["old"] })
      expect(await fileOf("old")).toMatchObject({ status: "Deleting" })
      expect(await fileOf("new")).toMatchObject({ status: "Uploaded", claimBy: null })
      expect(await claim(["new"], ["old"], 2200)).toEqual({ kind: "claimed", replaced: [] })
    })

    it("is found by no custom id until then, and hides none that is", async () => {
      await commitWhole("old", {}, { customId: "avatar" })
      await commitWhole("new", waits, { customId: "avatar" })
      expect(await catalog().findByCustomId("app", "avatar")).toMatchObject({ key: "old" })
      expect(await catalog().findByCustomId("app", "avatar", "all")).toMatchObject({ key: "new" })
      await claim(["new"], [], 2100)
      expect(await catalog().findByCustomId("app", "avatar")).toMatchObject({ key: "new" })
    })

    it("is its owner's alone to claim and to replace, where the app names the owner", async () => {
      await commitWhole("mine", { ...waits, owner: "user-7" })
      await commitWhole("theirs", { ...waits, owner: "user-8" })
      await commitWhole("old", { owner: "user-8" })
      const by = (keys: ReadonlyArray<string>, owner: string) =>
        catalog().claimFiles({ appId: "app", keys, replaces: [{ fileKey: "old" }], owner, now: 2100 })
      expect(await by(["mine", "theirs"], "user-7")).toEqual(isMissing("theirs"))
      expect(await fileOf("mine")).toMatchObject({ claimBy: 2500 })
      expect(await by(["mine"], "user-7")).toEqual({ kind: "claimed", replaced: [] })
      expect(await fileOf("old")).toMatchObject({ status: "Uploaded" })
      expect(await by(["theirs"], "user-8")).toEqual({ kind: "claimed", replaced: ["old"] })
    })

    it("is claimed through its own route alone, where the app names one", async () => {
      await commitWhole("photo", waits, { slug: "photos" })
      await commitWhole("scan", waits, { slug: "scans" })
      await commitWhole("own", waits)
      await commitWhole("old", {}, { slug: "scans" })
      const through = (keys: ReadonlyArray<string>, slug: string) =>
        catalog().claimFiles({ appId: "app", keys, replaces: [{ fileKey: "old" }], slug, now: 2100 })
      expect(await through(["photo", "scan", "own"], "photos")).toEqual(isMissing("scan", "own"))
      expect(await fileOf("photo")).toMatchObject({ claimBy: 2500 })
      expect(await fileOf("old")).toMatchObject({ status: "Uploaded" })
      expect(await through(["photo"], "photos")).toEqual({ kind: "claimed", replaced: ["old"] })
    })

    it("is claimed through its own route where the app names one for each, all of them or none", async () => {
      await commitWhole("photo", waits, { slug: "photos" })
      await commitWhole("scan", waits, { slug: "scans" })
      await commitWhole("own", waits)
      const through = (routes: Record<string, string>) => {
        const slug = new Map(Object.entries(routes))
        return catalog().claimFiles({ appId: "app", keys: [...slug.keys()], replaces: [], slug, now: 2100 })
      }
      expect(await through({ photo: "scans", scan: "photos", own: "photos" })).toEqual(
        isMissing("photo", "scan", "own"),
      )
      expect(await through({ photo: "photos", scan: "photos" })).toEqual(isMissing("scan"))
      expect(await fileOf("photo")).toMatchObject({ claimBy: 2500 })
      expect(await through({ photo: "photos", scan: "scans" })).toEqual({ kind: "claimed", replaced: [] })
      for (const key of ["photo", "scan"]) expect(await fileOf(key)).toMatchObject({ claimBy: null })
    })

    it("changes nothing of an app that was deleted meanwhile", async () => {
      await commitWhole("key", waits)
      expect(await catalog().claimFiles({ appId: "app", keys: ["key"], replaces: [], now: 2100, appSince: 1 })).toEqual(
        { kind: "unknownApp" },
      )
      expect(await fileOf("key")).toMatchObject({ claimBy: 2500 })
    })
  })

  describe("the next deadline", () => {
    it("is the earliest of files that have arrived and wait for it", async () => {
      const next = () => catalog().findNextDeadline()
      expect(await next()).toBe(null)
      await begin("begun", { keepFor: 1 })
      await commitWhole("kept", {})
      expect(await next()).toBe(null)
      await commitWhole("a", { keepFor: 300 })
      expect(await next()).toBe(2300)
      await commitWhole("b", { claimWithin: 100 })
      expect(await next()).toBe(2100)
      await claim(["b"], [], 2050)
      expect(await next()).toBe(2300)
      await remove(["a"], 2060)
      expect(await next()).toBe(null)
    })
  })

  describe("files whose time has passed", () => {
    it("are deleted, oldest first, some at a time, and no others", async () => {
      await commitWhole("a", { keepFor: 300 })
      await commitWhole("b", { claimWithin: 100 })
      await commitWhole("c", { keepFor: 200, claimWithin: 50 })
      await commitWhole("d", { keepFor: 9000 })
      await commitWhole("e", {})
      await begin("f", { keepFor: 1, claimWithin: 1 })
      const sweep = (now: number, limit: number) => catalog().deleteOverdue({ now, limit })
      expect(await sweep(2049, 10)).toEqual([])
      expect(await sweep(2050, 10)).toEqual(["c"])
      expect(await fileOf("c")).toMatchObject({ status: "Deleting", endedAt: 2050 })
      expect(await sweep(2300, 1)).toHaveLength(1)
      expect(await sweep(2300, 10)).toHaveLength(1)
      expect(await sweep(2300, 10)).toEqual([])
      for (const key of ["a", "b"]) expect(await fileOf(key)).toMatchObject({ status: "Deleting" })
      for (const key of ["d", "e", "f"]) expect((await fileOf(key))?.status).not.toBe("Deleting")
    })

    it("are changed no more, and their uploads are deleted ones, before any sweep", async () => {
      await commitWhole("expired", { keepFor: 300 }, { issuedAt: 900, expires: 9000 })
      await commitWhole("unclaimed", { claimWithin: 300 }, { issuedAt: 900, expires: 9000 })
      for (const fileKey of ["expired", "unclaimed"]) {
        const changes = [{ file: { fileKey }, removeAt: null, path: "a" }]
        expect(await catalog().changeFiles({ appId: "app", changes, now: 2300 })).toBe(0)
        const grant = { issuedAt: 900, expires: 9000 }
        expect(await begin(fileKey, {}, grant, 2299)).toMatchObject({ kind: "finished" })
        expect(await begin(fileKey, {}, grant, 2300)).toEqual({ kind: "deleted" })
        expect(await fileOf(fileKey)).toMatchObject({ path: null })
      }
    })

    it("leave a tombstone, so that a URL that is still valid brings none of them back", async () => {
      await commitWhole("key", { keepFor: 100 }, { issuedAt: 900 })
      await catalog().deleteOverdue({ now: 2100, limit: 10 })
      expect(await begin("key", {}, { issuedAt: 900 }, 2200)).toEqual({ kind: "deleted" })
    })

    it("owe their app nothing any more", async () => {
      await begin("key", { keepFor: 100 }, { slug: "avatar" })
      await register(["key"])
      await commit("key")
      await catalog().deleteOverdue({ now: 2100, limit: 10 })
      expect(await catalog().claimDue({ channel: "callback", now: 9000, claimedUntil: 9500, limit: 10 })).toEqual([])
    })
  })
}
