import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog, FileChange, FilePageOptions, FileReference } from "../../ingest.ts"
import { driveCatalog, dueOf } from "./drive-catalog.ts"
import { driveLabels } from "./drive-labels.ts"

/** What an app does with its files by the server API; part of the suite of all catalogs. */
export const testCatalogFiles = (catalog: () => Catalog): void => {
  const labels = driveLabels(catalog)
  const { begin, commitWhole, commit, fail, register, claim, end, reclaimAll, fileOf } = driveCatalog(catalog, {
    holdsClaims: true,
  })

  it("finds the newest uploaded file by custom id that is registered, within its app", async () => {
    for (const key of ["a", "b", "c", "d"]) await begin(key, { customId: "mine" })
    await register(["a", "b"])
    for (const key of ["a", "b", "d"]) await commit(key)
    expect(await catalog().findByCustomId("app", "mine")).toMatchObject({ key: "b" })
    expect(await catalog().findByCustomId("app", "mine", "all")).toMatchObject({ key: "d" })
    expect(await catalog().findByCustomId("other", "mine")).toBeNull()
    expect(await catalog().findByCustomId("app", "yours")).toBeNull()
  })

  describe("the server API of an app", () => {
    const remove = (files: ReadonlyArray<FileReference>, appId = "app") =>
      catalog().deleteFiles({ appId, files, now: 7000 })
    const change = (changes: ReadonlyArray<FileChange>, appId = "app") =>
      catalog().changeFiles({ appId, changes, now: 3000 })
    const mine = { customId: "mine" }

    it("lists the files of one app in every status, newest first, page by page", async () => {
      const states = ["Uploading", "Uploaded", "Failed", "Deleting"] as const
      const ids: Array<string> = []
      for (const [round, status] of [...states, ...states, ...states].entries()) {
        const key = `${round}-${status}`
        ids.unshift(key)
        await begin(`other-${key}`, { appId: "other" })
        await begin(key)
        if (status === "Failed") await fail(key)
        else if (status !== "Uploading") await commit(key)
        if (status === "Deleting") await remove([{ fileKey: key }])
      }
      const keysOf = async (page: Partial<FilePageOptions>) =>
        (await catalog().list({ appId: "app", limit: 100, ...page })).map(({ key }) => key)
      expect(await keysOf({})).toEqual(ids)
      expect(await keysOf({ appId: "none" })).toEqual([])
      expect(await keysOf({ offset: 3, limit: 5 })).toEqual(ids.slice(3, 8))
      expect(await keysOf({ offset: 99 })).toEqual([])
      for (const status of states) {
        const expected = ids.filter((key) => key.endsWith(status))
        expect(await keysOf({ status })).toEqual(expected)
        expect(await keysOf({ status, offset: 1, limit: 1 })).toEqual(expected.slice(1, 2))
      }
      for (const status of [undefined, ...states]) {
        const walked: Array<string> = []
        for (let before: number | undefined; ;) {
          const page = await catalog().list({ appId: "app", limit: 2, before, status })
          walked.push(...page.map(({ key }) => key))
          if (page.length < 2) break
          before = page.at(-1)!.id
        }
        expect(walked).toEqual(status === undefined ? ids : ids.filter((key) => key.endsWith(status)))
      }
      expect((await catalog().list({ limit: 3, offset: 2 })).map(({ key }) => key)).toEqual([
        ids[1],
        `other-${ids[1]}`,
        ids[2],
      ])
    })

    it("lists no upload whose key was taken since", async () => {
      await begin("key")
      await begin("key", { size: 6 })
      expect(await catalog().list({ appId: "app", limit: 9 })).toMatchObject([{ key: "key", size: 6 }])
      expect(await catalog().list({ appId: "app", status: "Failed", limit: 9 })).toEqual([])
    })

    it("deletes files in any state, each once", async () => {
      for (const key of ["uploading", "uploaded", "failed", "kept"]) await begin(key)
      await commit("uploaded")
      await fail("failed")
      await commitWhole("whole")
      const files = ["uploading", "failed", "uploaded", "whole", "unknown", "uploaded"].map((fileKey) => ({
        fileKey,
      }))
      expect(await remove(files)).toEqual(["uploading", "failed", "uploaded", "whole"])
      for (const key of ["uploading", "uploaded", "failed", "whole"]) {
        expect(await fileOf(key)).toMatchObject({ status: "Deleting", endedAt: 7000 })
        expect(await begin(key)).toEqual({ kind: "deleted" })
      }
      expect(await remove(files)).toEqual([])
      expect(await catalog().usage("app")).toMatchObject({ files: 0, storedBytes: 0, announcedBytes: 5 })
      const { id } = (await fileOf("whole"))!
      expect((await catalog().listReclaimable(10)).map(({ key }) => key).sort()).toEqual([
        "failed",
        "uploaded",
        "uploading",
        "whole",
      ])
      await reclaimAll()
      expect(await fileOf("uploaded")).toBeUndefined()
      expect(await catalog().readContent(id)).toBeNull()
      expect(await catalog().list({ appId: "app", limit: 9 })).toMatchObject([{ key: "kept" }])
    })

    it("fences off whoever writes a file that is deleted", async () => {
      await begin("key")
      await remove([{ fileKey: "key" }])
      expect(await commit("key", 1)).toEqual({ kind: "fenced" })
      expect(await catalog().interrupt("key")).toBeNull()
      expect(await fail("key")).toBe(false)
      expect((await fileOf("key"))?.epoch).toBe(2)
    })

    it("deletes all files of a custom id, and a key can be used anew", async () => {
      for (const key of ["a", "b", "c"]) await begin(key, key === "c" ? { customId: "yours" } : mine)
      await commit("a")
      const deleted = await remove([{ customId: "mine" }, { customId: "nobody's" }])
      expect(deleted === "tooMany" ? deleted : deleted.toSorted()).toEqual(["a", "b"])
      expect(await catalog().findByCustomId("app", "mine")).toBeNull()
      expect((await fileOf("c"))?.status).toBe("Uploading")
      await reclaimAll()
      await register(["a"])
      expect(await begin("a", { ...mine, issuedAt: 7001 }, 8000)).toMatchObject({ kind: "granted", isNew: true })
      await commit("a")
      expect(await catalog().findByCustomId("app", "mine")).toMatchObject({ key: "a" })
    })

    it("sends no event of a deleted file any more, and keeps none", async () => {
      await register(["due", "claimed", "failed", "dead"])
      for (const key of ["due", "claimed", "failed", "dead"]) await begin(key)
      await commit("due", 1, { claimedUntil: null })
      const claimed = dueOf(await commit("claimed"))
      await end(dueOf(await commit("dead")), "dead")
      await fail("failed")
      await remove(["due", "claimed", "failed", "dead"].map((fileKey) => ({ fileKey })))
      expect(await claim(99_000)).toEqual([])
      expect(await catalog().nextDueAt(0)).toBeNull()
      expect(await catalog().countDeliveries(10)).toEqual({ pending: 0, dead: 0 })
      await end(claimed, { retryAt: 8000 })
      expect(await claim(99_000)).toEqual([])
      expect(await catalog().redeliver({ id: claimed.id, now: 7000 })).toBe(false)
      expect(await catalog().listDeliveries({ limit: 9 })).toEqual([])
      await reclaimAll()
      expect(await catalog().list({ limit: 9 })).toEqual([])
    })

    it("forgets what a deleted file was expected with, and keeps what its key is registered with afterwards", async () => {
      await register(["key", "other"], { slug: "old" })
      await begin("key")
      await begin("other")
      await remove([{ fileKey: "key" }])
      await reclaimAll()
      expect(await begin("key", { issuedAt: 7001 }, 8000)).toEqual({ kind: "unregistered" })
      expect(await catalog().findRegistration({ appId: "app", key: "key" })).toBeNull()
      expect((await catalog().get("other"))?.registration).toMatchObject({ callbackSlug: "old" })
      await register(["key"], { slug: "new" })
      await begin("key", { issuedAt: 7002 }, 8000)
      expect(dueOf(await commit("key")).registration.callbackSlug).toBe("new")
    })

    it("changes the files of one reference as the last change says, and counts every change that found some", async () => {
      for (const key of ["a", "b"]) {
        await begin(key, { ...mine, customId: "both" })
        await commit(key)
      }
      const both = { customId: "both" }
      const changes: ReadonlyArray<FileChange> = [
        { file: both, acl: "private" },
        { file: { fileKey: "a" }, acl: "public-read" },
        { file: both, name: "both.txt" },
        { file: both, acl: "private" },
        { file: { fileKey: "b" }, acl: "public-read" },
        { file: { customId: "none" }, acl: "private" },
      ]
      expect(await catalog().changeFiles({ appId: "app", changes, now: 3000 })).toBe(5)
      expect(await fileOf("a")).toMatchObject({ name: "both.txt", acl: "private" })
      expect(await fileOf("b")).toMatchObject({ name: "both.txt", acl: "public-read" })
    })

    it("changes and deletes only files of the owner that is named, and closes no key for it", async () => {
      for (const [key, owner] of [
        ["his", "user-7"],
        ["hers", "user-8"],
        ["nobody's", undefined],
      ] as const) {
        await labels.begin(key, owner === undefined ? {} : { owner }, { customId: "shared" })
        await commit(key)
      }
      const keys = ["his", "hers", "nobody's", "unknown"].map((fileKey) => ({ fileKey }))
      const shared = { customId: "shared" }
      const rename = (files: ReadonlyArray<FileReference>, name: string, owner?: string) =>
        catalog().changeFiles({ appId: "app", changes: files.map((file) => ({ file, name })), owner, now: 3000 })
      expect(await rename(keys, "1.txt", "user-7")).toBe(1)
      expect(await rename([shared], "2.txt", "user-8")).toBe(1)
      expect(await rename([...keys, shared], "3.txt", "user-9")).toBe(0)
      const names = ["his", "hers", "nobody's"].map(async (key) => (await fileOf(key))?.name)
      expect(await Promise.all(names)).toEqual(["1.txt", "2.txt", "a.txt"])
      const removeOf = (files: ReadonlyArray<FileReference>, owner: string) =>
        catalog().deleteFiles({ appId: "app", files, owner, now: 7000 })
      expect(await removeOf([...keys, shared], "user-9")).toEqual([])
      expect(await removeOf(keys, "user-7")).toEqual(["his"])
      expect(await removeOf([shared], "user-8")).toEqual(["hers"])
      expect((await fileOf("nobody's"))?.status).toBe("Uploaded")
      // Whose the upload to come is nobody knows.
      expect(await begin("unknown", {}, 8000)).toMatchObject({ kind: "granted" })
    })

    it("changes and deletes many files of one custom id in steps, where it is asked to", async () => {
      for (const key of ["a", "b", "c"]) {
        await begin(key, { ...mine, customId: "all" })
        await commit(key)
      }
      const file = { customId: "all" }
      const rename = (mostFiles: number) =>
        catalog().changeFiles({ appId: "app", changes: [{ file, name: "new.txt" }], now: 3000, mostFiles })
      expect(await rename(2)).toBe("tooMany")
      expect(await fileOf("a")).toMatchObject({ name: "a.txt" })
      expect(await rename(3)).toBe(1)
      expect(await fileOf("c")).toMatchObject({ name: "new.txt" })
      const step = async () => {
        const files = [file, { fileKey: "a" }]
        const deleted = await catalog().deleteFiles({ appId: "app", files, now: 3000, limit: 2 })
        return deleted === "tooMany" ? [] : deleted
      }
      const first = await step()
      expect(first).toHaveLength(2)
      expect([...first, ...(await step())].toSorted()).toEqual(["a", "b", "c"])
      expect(await step()).toEqual([])
    })

    it("renames files and says who may read them, only those that are Uploaded", async () => {
      for (const key of ["a", "b", "uploading", "deleting"]) await begin(key, mine)
      for (const key of ["a", "b", "deleting"]) await commit(key)
      await remove([{ fileKey: "deleting" }])
      const changes: ReadonlyArray<FileChange> = [
        { file: { fileKey: "a" }, name: "first.txt" },
        { file: { fileKey: "a" }, name: "new.txt" },
        { file: { fileKey: "uploading" }, name: "new.txt" },
        { file: { fileKey: "deleting" }, name: "new.txt" },
        { file: { fileKey: "unknown" }, name: "new.txt" },
      ]
      expect(await change(changes)).toBe(2)
      expect(await fileOf("a")).toMatchObject({ name: "new.txt", acl: null })
      expect(await fileOf("uploading")).toMatchObject({ name: "a.txt" })
      expect(await fileOf("deleting")).toMatchObject({ name: "a.txt" })
      expect(await change([{ file: { customId: "mine" }, acl: "private" }])).toBe(1)
      expect(await fileOf("a")).toMatchObject({ name: "new.txt", acl: "private" })
      expect(await fileOf("b")).toMatchObject({ name: "a.txt", acl: "private" })
      expect(await fileOf("uploading")).toMatchObject({ acl: null })
      expect(await begin("a", mine)).toMatchObject({ kind: "finished" })
    })

    it("never reaches files of another app", async () => {
      await begin("theirs", { appId: "other", ...mine })
      await commit("theirs")
      const files = [{ fileKey: "theirs" }, { customId: "mine" }]
      expect(await remove(files)).toEqual([])
      expect(await change(files.map((file) => ({ file, name: "b.txt", acl: "private" })))).toBe(0)
      expect(await fileOf("theirs")).toMatchObject({ name: "a.txt", acl: null, status: "Uploaded" })
      expect(await remove(files, "other")).toEqual(["theirs"])
    })

    it("does not reach an upload whose key was taken since", async () => {
      await begin("key", mine)
      await begin("key", { size: 6 })
      expect(await remove([{ customId: "mine" }])).toEqual([])
      expect((await fileOf("key"))?.status).toBe("Uploading")
    })
  })
}
