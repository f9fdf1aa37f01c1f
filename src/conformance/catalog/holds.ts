import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import { type Catalog, toFileStatus, type HoldVerdict } from "../../ingest.ts"
import { driveCatalog } from "./drive-catalog.ts"
import { driveLabels } from "./drive-labels.ts"

/** Files that wait for a verdict; part of the suite of all catalogs. */
export const testCatalogHolds = (catalog: () => Catalog): void => {
  const { commit, register, remove, claim, expire, reclaimAll, fileOf, createEventId } = driveCatalog(catalog)
  const { begin, commitWhole } = driveLabels(catalog)
  const hold = { hold: true }
  const judge = async (keys: ReadonlyArray<string>, verdict: HoldVerdict = { kind: "release" }, now = 3000) => {
    const files = keys.map((key) => ({ key }))
    const judged = await catalog().judgeHeld({ appId: "app", files, verdict, now, createEventId })
    return judged.map(({ file }) => file.key)
  }
  const reject = (keys: ReadonlyArray<string>, reason?: string) => judge(keys, { kind: "reject", reason })
  const statusOf = async (key: string) => toFileStatus((await fileOf(key))!)
  const listHeld = async (limit = 10, except: ReadonlyArray<number> = []) =>
    (await catalog().listHeld({ limit, except: new Set(except) })).map(({ file }) => file.key)
  const usage = async () => {
    const { files, storedBytes } = await catalog().usage("app")
    return [files, storedBytes]
  }

  describe("a file that is held", () => {
    it("waits from its arrival until a verdict, which is taken once", async () => {
      await begin("key", hold)
      expect(await judge(["key"])).toEqual([])
      await commit("key")
      await commitWhole("whole", hold)
      for (const key of ["key", "whole"]) {
        expect(await statusOf(key)).toBe("Held")
        expect(await judge([key, "never"])).toEqual([key])
        expect(await fileOf(key)).toMatchObject({ status: "Uploaded", hold: false, uploadedAt: 2000, failure: null })
        expect(await judge([key])).toEqual([])
        expect(await reject([key])).toEqual([])
        expect(await statusOf(key)).toBe("Uploaded")
      }
    })

    it("is failed when it is rejected: its bytes can go, and no verdict brings it back", async () => {
      await commitWhole("whole", hold)
      await begin("key", hold)
      await commit("key")
      expect(await usage()).toEqual([2, 10])
      expect(await reject(["whole"], "Eicar-Signature")).toEqual(["whole"])
      expect(await reject(["key"])).toEqual(["key"])
      expect(await judge(["whole", "key"])).toEqual([])
      expect(await fileOf("whole")).toMatchObject({
        status: "Failed",
        failure: { code: "REJECTED", message: "Eicar-Signature" },
        endedAt: 3000,
      })
      expect(await fileOf("key")).toMatchObject({ failure: { code: "REJECTED", message: "The file was rejected." } })
      expect(await usage()).toEqual([0, 0])
      const { id } = (await fileOf("whole"))!
      expect(await catalog().readContent(id)).toBe(null)
      expect((await catalog().listReclaimable(10)).map(({ key }) => key).toSorted()).toEqual(["key", "whole"])
      await reclaimAll()
      expect(await catalog().listReclaimable(10)).toEqual([])
    })

    it("gives its failure to a URL of its upload, and its key to a new upload", async () => {
      const grant = { registrationId: "r1", issuedAt: 900 }
      await commitWhole("key", hold, grant)
      expect(await begin("key", hold, grant, 2500)).toMatchObject({ kind: "finished" })
      await reject(["key"])
      expect(await begin("key", hold, grant, 3500)).toMatchObject({ kind: "failed", failure: { code: "REJECTED" } })
      const next = { registrationId: "r2", issuedAt: 3100 }
      expect(await begin("key", hold, next, 3500)).toMatchObject({ kind: "granted", isNew: true })
    })

    it("owes its app nothing before the verdict, and then what it says", async () => {
      for (const key of ["released", "rejected"]) {
        await begin(key, hold, { slug: "avatar" })
        await register([key])
        await commit(key)
      }
      expect(await claim(2500)).toEqual([])
      expect(await catalog().nextDueAt(0)).toBe(null)
      await judge(["released"])
      await reject(["rejected"])
      expect(await claim(3000)).toMatchObject([
        { hook: "callback", file: { key: "released" }, registration: { metadata: '{"userId":7}' } },
        { hook: "error", file: { key: "rejected", failure: { code: "REJECTED" } } },
      ])
    })

    it("may be registered after it has arrived, also more than once", async () => {
      await commitWhole("key", hold, { slug: "avatar" })
      await register(["key"])
      await register(["key"])
      expect(await claim(2500)).toEqual([])
      expect(await catalog().get("key")).toMatchObject({ registration: { metadata: '{"userId":7}' }, delivery: null })
      await judge(["key"])
      expect(await claim(3000)).toMatchObject([{ hook: "callback", file: { key: "key" } }])
      await commitWhole("late", hold, { slug: "avatar" })
      await judge(["late"])
      expect(await claim(3500)).toEqual([])
      await register(["late"])
      expect(await claim(3500)).toMatchObject([{ hook: "callback", file: { key: "late" } }])
    })

    it("keeps no result that its app reports before the verdict", async () => {
      await commitWhole("key", hold, { slug: "avatar" })
      await register(["key"])
      await catalog().recordResult({ appId: "app", key: "key", result: { data: "1" }, now: 2500 })
      expect(await catalog().get("key")).toMatchObject({ result: null })
    })

    it("has no time of its own that passes until it is released", async () => {
      await begin("key", { ...hold, keepFor: 500, claimWithin: 100 })
      await commit("key")
      await commitWhole("whole", { ...hold, keepFor: 500 })
      expect(await catalog().findNextDeadline()).toBe(null)
      expect(await catalog().deleteOverdue({ now: 99_000, limit: 10 })).toEqual([])
      expect(await judge(["key", "whole"], undefined, 99_000)).toEqual(["key", "whole"])
      expect(await fileOf("key")).toMatchObject({ removeAt: 99_500, claimBy: 99_100 })
      expect(await fileOf("whole")).toMatchObject({ removeAt: 99_500, claimBy: null })
      expect(await statusOf("key")).toBe("Pending")
      expect(await catalog().findNextDeadline()).toBe(99_100)
    })

    it("can be claimed while it is held", async () => {
      await commitWhole("key", { ...hold, claimWithin: 100 })
      const claimed = await catalog().claimFiles({ appId: "app", keys: ["key"], replaces: [], now: 9000 })
      expect(claimed).toEqual({ kind: "claimed", replaced: [] })
      expect(await statusOf("key")).toBe("Held")
      await judge(["key"])
      expect(await fileOf("key")).toMatchObject({ status: "Uploaded", claimBy: null })
      expect(await statusOf("key")).toBe("Uploaded")
    })

    it("is found by no custom id, hides none, and is changed by nobody", async () => {
      await commitWhole("old", {}, { customId: "avatar" })
      await commitWhole("new", hold, { customId: "avatar" })
      expect(await catalog().findByCustomId("app", "avatar")).toMatchObject({ key: "old" })
      expect(await catalog().findByCustomId("app", "avatar", "all")).toMatchObject({ key: "new" })
      const changes = [{ file: { fileKey: "new" }, name: "b.txt", path: "a", removeAt: 9000 }]
      expect(await catalog().changeFiles({ appId: "app", changes, now: 2500 })).toBe(0)
      await judge(["new"])
      expect(await catalog().findByCustomId("app", "avatar")).toMatchObject({ key: "new" })
      expect(await catalog().changeFiles({ appId: "app", changes, now: 3500 })).toBe(1)
    })

    it("is deleted like any other, also with all of its owner, and judged no more", async () => {
      await commitWhole("a", hold)
      await commitWhole("b", { ...hold, owner: "user-7" })
      await remove(["a"])
      const selection = { owner: "user-7" }
      await catalog().deleteMatching({ appId: "app", selection, now: 2500, limit: 10 })
      expect(await judge(["a", "b"])).toEqual([])
      expect(await reject(["a", "b"])).toEqual([])
      expect(await listHeld()).toEqual([])
    })

    it("is judged by none before the steps of a deletion have reached it", async () => {
      for (const key of ["a", "b", "c"]) await commitWhole(key, { ...hold, owner: "user-7" })
      await catalog().deleteMatching({ appId: "app", selection: { owner: "user-7" }, now: 2500, limit: 1 })
      expect(await judge(["a", "b", "c"])).toEqual([])
      expect(await reject(["a", "b", "c"])).toEqual([])
      expect(await listHeld()).toEqual([])
    })

    it("is deleted when no app registers it", async () => {
      await commitWhole("key", hold, { slug: "avatar" })
      await expire({ unregistered: 2001 })
      expect(await fileOf("key")).toMatchObject({ status: "Deleting" })
      expect(await judge(["key"])).toEqual([])
    })

    it("is judged by its own app alone, and where its id is named by that", async () => {
      await commitWhole("foreign", hold, { appId: "other" })
      await commitWhole("key", hold)
      expect(await judge(["foreign"])).toEqual([])
      const { id } = (await fileOf("key"))!
      const judgement = { verdict: { kind: "release" }, now: 3000, createEventId } as const
      expect(await catalog().judgeHeld({ ...judgement, appId: "app", files: [{ key: "key", id: id + 1 }] })).toEqual([])
      expect(
        await catalog().judgeHeld({ ...judgement, appId: "app", files: [{ key: "key", id }], appSince: 1 }),
      ).toEqual([])
      expect(await catalog().judgeHeld({ ...judgement, appId: "app", files: [{ key: "key", id }] })).toMatchObject([
        { file: { key: "key", hold: false } },
      ])
    })
  })

  describe("a listing of held files", () => {
    it("has the oldest of each app", async () => {
      for (const key of ["a", "b", "c"]) await commitWhole(key, hold)
      for (const key of ["d", "e"]) await commitWhole(key, hold, { appId: "other" })
      await begin("begun", hold)
      await commitWhole("free", {})
      expect((await listHeld(2)).toSorted()).toEqual(["a", "b", "d", "e"])
      const { id } = (await fileOf("a"))!
      expect((await listHeld(1, [id])).toSorted()).toEqual(["b", "d"])
      await judge(["b"])
      expect((await listHeld(1, [id])).toSorted()).toEqual(["c", "d"])
    })

    it("by status shows them, and no others", async () => {
      await commitWhole("held", hold)
      await commitWhole("pending", { claimWithin: 100 })
      await commitWhole("free", {})
      const list = async (status: "Held" | "Pending" | "Uploaded", appId?: string) =>
        (await catalog().list({ status, appId, limit: 10 })).map(({ key }) => key)
      for (const appId of ["app", undefined]) {
        expect(await list("Held", appId)).toEqual(["held"])
        expect(await list("Pending", appId)).toEqual(["pending"])
        expect(await list("Uploaded", appId)).toEqual(["free"])
      }
    })
  })
}
