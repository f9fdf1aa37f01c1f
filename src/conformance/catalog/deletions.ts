import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog, DeletedMatching } from "../../ingest.ts"
import type { FileSelection } from "../../protocol.ts"
import { driveCatalog } from "./drive-catalog.ts"
import { driveLabels } from "./drive-labels.ts"

const deletedOf = (result: DeletedMatching) => {
  if (result.kind !== "deleted") throw new Error(`the deletion is ${result.kind}`)
  return result
}

/** Deletions of many files by what their app says of them; part of the suite of all catalogs. */
export const testCatalogDeletions = (catalog: () => Catalog): void => {
  const { commit, fail, register, fileOf, reclaimAll } = driveCatalog(catalog)
  const { begin, commitWhole } = driveLabels(catalog)
  const ask = (selection: FileSelection, limit = 100, now = 3000, appId = "app") =>
    catalog().deleteMatching({ appId, selection, limit, now })
  const ends = async () => {
    const keys: Array<string> = []
    for (let isDone = false; !isDone;) {
      const step = await catalog().continueDeletions({ now: 3100, limit: 1 })
      keys.push(...step.keys)
      isDone = step.isDone
    }
    return keys
  }
  const isThere = async (key: string) => !["Deleting", undefined].includes((await fileOf(key))?.status)

  describe("a deletion by owner or prefix", () => {
    it("means the files of the owner in any state, and no others", async () => {
      await commitWhole("stored", { owner: "u" })
      await commitWhole("pending", { owner: "u", claimWithin: 9000 })
      await begin("begun", { owner: "u" })
      await begin("failed", { owner: "u" })
      await fail("failed")
      await commitWhole("theirs", { owner: "v" })
      await commitWhole("nobody", {})
      await commitWhole("foreign", { owner: "u" }, { appId: "other" })
      const { deletion, keys } = deletedOf(await ask({ owner: "u" }))
      expect([...keys].sort()).toEqual(["begun", "failed", "pending", "stored"])
      expect(deletion).toMatchObject({ owner: "u", prefix: null, askedAt: 3000, doneAt: 3000, deletedCount: 4 })
      for (const key of keys) expect(await fileOf(key)).toMatchObject({ status: "Deleting", endedAt: 3000 })
      for (const key of ["theirs", "nobody", "foreign"]) expect(await isThere(key)).toBe(true)
      expect(await catalog().usageOfOwner("app", "u")).toEqual({ files: 0, storedBytes: 0, announcedBytes: 0 })
      await reclaimAll()
      expect(await fileOf("stored")).toBe(undefined)
    })

    it("means the files whose path begins with the prefix, byte by byte, and of the owner where both are given", async () => {
      const paths = ["a/1", "a/%", "a/", "A/1", "a", "b/a/1", "a/\u{10ffff}", "a0"]
      for (const path of paths) await commitWhole(path, { owner: "u", path })
      await commitWhole("theirs", { owner: "v", path: "a/2" })
      const both = deletedOf(await ask({ owner: "u", prefix: "a/" }))
      expect([...both.keys].sort()).toEqual(["a/", "a/%", "a/1", "a/\u{10ffff}"].sort())
      expect(both.deletion).toMatchObject({ owner: "u", prefix: "a/" })
      const { keys } = deletedOf(await ask({ prefix: "a" }))
      expect([...keys].sort()).toEqual(["a", "a0", "theirs"])
      expect(await isThere("A/1")).toBe(true)
    })

    it("is in force for all of them before it has marked more than the first", async () => {
      for (const key of ["a", "b", "c"]) await commitWhole(key, { owner: "u", path: `p/${key}` }, { customId: key })
      for (const key of ["d", "e"]) await begin(key, { owner: "u", path: `p/${key}` })
      await register(["d", "e"])
      const first = deletedOf(await ask({ owner: "u" }, 1))
      for (const key of ["a", "b", "c", "d", "e"]) expect(await isThere(key)).toBe(false)
      for (const key of ["a", "b", "c"]) expect(await catalog().findByCustomId("app", key, "all")).toBe(null)
      expect(await catalog().claimFiles({ appId: "app", keys: ["c"], replaces: [], now: 3050 })).toEqual({
        kind: "missing",
        keys: ["c"],
      })
      const changes = [{ file: { fileKey: "c" }, path: "elsewhere" }]
      expect(await catalog().changeFiles({ appId: "app", changes, now: 3060 })).toBe(0)
      for (const key of ["d", "e"]) expect(await commit(key)).toEqual({ kind: "fenced" })
      for (const status of ["Uploaded", "Uploading", "Pending", "Failed"] as const) {
        expect(await catalog().list({ appId: "app", status, limit: 10 })).toEqual([])
        expect(await catalog().list({ appId: "app", owner: "u", status, limit: 10 })).toEqual([])
        expect(await catalog().listByPath({ appId: "app", prefix: "p/", status, limit: 10 })).toEqual([])
      }
      const rest = await ends()
      expect([...first.keys, ...rest].sort()).toEqual(["a", "b", "c", "d", "e"])
      const [deletion] = await catalog().listDeletions("app", 10)
      expect(deletion).toMatchObject({ id: first.deletion.id, deletedCount: 5 })
      expect(deletion!.doneAt).not.toBe(null)
      expect(await ends()).toEqual([])
    })

    it("has deleted what a claim would replace", async () => {
      for (const key of ["a", "b"]) await commitWhole(key, { owner: "u" })
      await commitWhole("new", { owner: "v" })
      const { keys } = deletedOf(await ask({ owner: "u" }, 1))
      const replaces = ["a", "b"].map((fileKey) => ({ fileKey }))
      expect(await catalog().claimFiles({ appId: "app", keys: ["new"], replaces, now: 3050 })).toEqual({
        kind: "claimed",
        replaced: [],
      })
      expect([...keys, ...(await ends())].sort()).toEqual(["a", "b"])
    })

    it("has deleted what is registered, or deleted by key or custom id, meanwhile", async () => {
      for (const key of ["a", "b", "c"]) await commitWhole(key, { owner: "u" }, { customId: `${key}-id` })
      const { keys } = deletedOf(await ask({ owner: "u" }, 1))
      const expectedFiles = async () => (await catalog().usage("app")).expectedFiles
      const before = await expectedFiles()
      // Of a file that comes; the one that goes is owed no event.
      await register(["c"])
      expect(await expectedFiles()).toBe(before + 1)
      expect((await catalog().get("c"))?.delivery ?? null).toBe(null)
      const files = [{ fileKey: "a" }, { fileKey: "b" }, { fileKey: "c" }, { customId: "b-id" }, { customId: "c-id" }]
      expect(await catalog().deleteFiles({ appId: "app", files, now: 3050 })).toEqual([])
      expect(await expectedFiles()).toBe(before)
      expect([...keys, ...(await ends())].sort()).toEqual(["a", "b", "c"])
      expect((await catalog().listDeletions("app", 1))[0]).toMatchObject({ deletedCount: 3 })
    })

    it("spares what comes later: new files, and files that are moved under the prefix", async () => {
      for (const key of ["a", "b"]) await commitWhole(key, { path: `p/${key}` })
      await commitWhole("moved", { path: "q/moved" })
      await ask({ prefix: "p/" }, 1)
      await commitWhole("new", { path: "p/new" }, {}, 3020)
      const move = { file: { fileKey: "moved" }, path: "p/moved" }
      expect(await catalog().changeFiles({ appId: "app", changes: [move], now: 3060 })).toBe(1)
      // Also as long as the deletion is not done.
      for (const key of ["new", "moved"]) expect(await isThere(key)).toBe(true)
      await ends()
      for (const key of ["new", "moved"]) expect(await isThere(key)).toBe(true)
      for (const key of ["a", "b"]) expect(await isThere(key)).toBe(false)
      // The next deletion means them.
      expect([...deletedOf(await ask({ prefix: "p/" })).keys].sort()).toEqual(["moved", "new"])
    })

    it("keeps uploads from coming back or beginning whose URLs are older", async () => {
      await commitWhole("stored", { owner: "u" }, { issuedAt: 900 })
      await begin("open", { owner: "u" }, { issuedAt: 900 })
      await ask({ owner: "u" }, 1)
      const labels = { owner: "u" }
      for (const key of ["stored", "open", "never"]) {
        expect(await begin(key, labels, { issuedAt: 900 }, 3010)).toEqual({ kind: "deleted" })
      }
      expect(await begin("untold", labels, {}, 3010)).toEqual({ kind: "deleted" })
      expect(await commitWhole("whole", labels, { issuedAt: 3000 }, 3010)).toEqual({ kind: "refused" })
      expect(await begin("whole", labels, { issuedAt: 3000 }, 3010)).toEqual({ kind: "deleted" })
      expect(await begin("other", { owner: "v" }, { issuedAt: 900 }, 3010)).toMatchObject({ kind: "granted" })
      expect(await begin("later", labels, { issuedAt: 3001 }, 3010)).toMatchObject({ kind: "granted" })
      const week = 7 * 24 * 60 * 60 * 1000
      expect(await begin("old", labels, { issuedAt: 900 }, 3000 + week)).toMatchObject({ kind: "granted" })
    })

    it("does not keep uploads from beginning where it was by prefix", async () => {
      await ask({ owner: "u", prefix: "p/" })
      await ask({ prefix: "p/" })
      expect(await begin("key", { owner: "u", path: "p/a" }, { issuedAt: 900 }, 3010)).toMatchObject({
        kind: "granted",
      })
    })

    it("is listed, newest first, once however often it is asked for, and forgotten after a while", async () => {
      await commitWhole("a", { owner: "u" })
      await ask({ owner: "u" }, 10, 3000)
      await ask({ prefix: "p/" }, 10, 3001)
      await ask({ owner: "u" }, 10, 3002)
      await ask({ owner: "u" }, 10, 3003, "other")
      const listed = await catalog().listDeletions("app", 10)
      expect(listed.map(({ owner, prefix, askedAt }) => [owner, prefix, askedAt])).toEqual([
        ["u", null, 3002],
        [null, "p/", 3001],
      ])
      expect(await catalog().listDeletions("app", 1)).toHaveLength(1)
      expect(await catalog().forgetDeletions({ before: 3002, limit: 10 })).toBe(1)
      expect(await catalog().listDeletions("app", 10)).toHaveLength(1)
    })

    it("counts while it is remembered, and is refused beyond what an app may announce", async () => {
      const usage = () => catalog().usage("app")
      const before = await usage()
      const bounded = (selection: FileSelection) =>
        catalog().deleteMatching({ appId: "app", selection, limit: 10, now: 3000, bounds: { expectedFiles: 2 } })
      expect((await bounded({ owner: "u" })).kind).toBe("deleted")
      expect((await bounded({ prefix: "p/" })).kind).toBe("deleted")
      expect(await usage()).toMatchObject({ expectedFiles: 2, catalogBytes: before.catalogBytes + 2 * 128 + 3 })
      expect(await bounded({ owner: "v" })).toEqual({ kind: "tooMany" })
      expect((await bounded({ owner: "u" })).kind).toBe("deleted")
      expect(await catalog().forgetDeletions({ before: 3001, limit: 10 })).toBe(2)
      expect(await usage()).toEqual({ ...before, expectedFiles: 0, expectedBytes: 0 })
    })

    it("changes nothing of an app that was deleted meanwhile", async () => {
      await commitWhole("a", { owner: "u" })
      const deletion = { appId: "app", selection: { owner: "u" }, limit: 10, now: 3000, appSince: 1 }
      expect(await catalog().deleteMatching(deletion)).toEqual({ kind: "unknownApp" })
      expect(await isThere("a")).toBe(true)
    })
  })
}
