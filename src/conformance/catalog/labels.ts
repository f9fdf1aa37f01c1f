import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog, FileStatus } from "../../ingest.ts"
import { type Random, tryAll } from "../random.ts"
import { driveCatalog } from "./drive-catalog.ts"
import { driveLabels } from "./drive-labels.ts"

/** Whose files are and where they are filed; part of the suite of all catalogs. */
export const testCatalogLabels = (catalog: () => Catalog): void => {
  const { commit, fail, remove, fileOf, expire } = driveCatalog(catalog)
  const { begin, commitWhole } = driveLabels(catalog)

  describe("labels", () => {
    const labels = { owner: "user-7", path: "photos/a.jpg", keepFor: 5000, claimWithin: 500 }

    it("are kept with a file that comes in pieces, and its deadlines begin when it has arrived", async () => {
      await begin("key", labels)
      expect(await fileOf("key")).toMatchObject({ ...labels, removeAt: null, claimBy: null })
      await commit("key")
      expect(await fileOf("key")).toMatchObject({ ...labels, removeAt: 7000, claimBy: 2500 })
    })

    it("are kept with a small file that comes whole, and are what its writer is told", async () => {
      const expected = { ...labels, removeAt: 7000, claimBy: 2500 }
      expect(await commitWhole("key", labels)).toMatchObject({ kind: "committed", upload: { file: expected } })
      expect(await fileOf("key")).toMatchObject(expected)
    })

    it("are nothing where nothing was said", async () => {
      await commitWhole("key", {})
      const nothing = { owner: null, path: null, keepFor: null, claimWithin: null, removeAt: null, claimBy: null }
      expect(await fileOf("key")).toMatchObject(nothing)
    })

    it("stay as they were when an upload is resumed", async () => {
      await begin("key", labels)
      expect(await begin("key", { owner: "user-8" })).toMatchObject({ kind: "granted", epoch: 2 })
      expect(await fileOf("key")).toMatchObject(labels)
    })

    it("change on demand, for stored files alone, and only what is named", async () => {
      await commitWhole("key", labels)
      await begin("open", labels)
      const change = (fileKey: string, changed: object) =>
        catalog().changeFiles({ appId: "app", changes: [{ file: { fileKey }, ...changed }], now: 2100 })
      expect(await change("key", { path: "b/c" })).toBe(1)
      expect(await fileOf("key")).toMatchObject({ name: "a.txt", path: "b/c", removeAt: 7000 })
      expect(await change("key", { removeAt: 9000 })).toBe(1)
      expect(await fileOf("key")).toMatchObject({ path: "b/c", removeAt: 9000 })
      expect(await change("key", { path: null, removeAt: null })).toBe(1)
      expect(await fileOf("key")).toMatchObject({ path: null, removeAt: null, owner: "user-7" })
      expect(await change("open", { path: "x" })).toBe(0)
    })
  })

  describe("what labels take in the catalog", () => {
    it("counts, so that a quota holds for them as well", async () => {
      const catalogBytes = async () => (await catalog().usage("app")).catalogBytes
      await commitWhole("plain", {})
      const plain = await catalogBytes()
      const [owner, path] = ["o".repeat(200), "é".repeat(500)]
      await commitWhole("key", { owner, path })
      expect((await catalogBytes()) - 2 * plain).toBe(4 * 200 + 3 * 1000)
      const change = (path: string | null) =>
        catalog().changeFiles({ appId: "app", changes: [{ file: { fileKey: "plain" }, path }], now: 2100, quota: 1 })
      expect(await change("p".repeat(100))).toBe(1)
      expect((await catalogBytes()) - 2 * plain).toBe(4 * 200 + 3 * 1100)
      expect(await change(null)).toBe(1)
      await remove(["key"])
      for (const file of await catalog().listReclaimable(10)) await catalog().reclaimed(file)
      await catalog().forgetTombstones({ now: Number.MAX_SAFE_INTEGER, limit: 10 })
      expect(await catalogBytes()).toBe(plain)
    })
  })

  describe("the usage of an owner", () => {
    it("is counted by app and owner, and nothing is left of one whose files are gone", async () => {
      const none = { files: 0, storedBytes: 0, announcedBytes: 0 }
      expect(await catalog().usageOfOwner("app", "user-7")).toEqual(none)
      await begin("a", { owner: "user-7" }, { size: 7 })
      await commitWhole("b", { owner: "user-7" })
      await commitWhole("c", { owner: "user-8" })
      await commitWhole("d", { owner: "user-7" }, { appId: "other" })
      expect(await catalog().usageOfOwner("app", "user-7")).toEqual({ files: 1, storedBytes: 5, announcedBytes: 7 })
      await commit("a")
      expect(await catalog().usageOfOwner("app", "user-7")).toEqual({ files: 2, storedBytes: 12, announcedBytes: 0 })
      await remove(["a", "b"])
      expect(await catalog().usageOfOwner("app", "user-7")).toEqual(none)
      for (const file of await catalog().listReclaimable(10)) await catalog().reclaimed(file)
      expect(await catalog().usageOfOwner("app", "user-7")).toEqual(none)
      expect(await catalog().usageOfOwner("app", "user-8")).toEqual({ files: 1, storedBytes: 5, announcedBytes: 0 })
    })

    it("keeps a new file out that its quota has no room for, in pieces and whole", async () => {
      const labels = { owner: "user-7", ownerQuota: 10 }
      expect(await begin("a", labels, { size: 6 })).toMatchObject({ kind: "granted" })
      const usage = { files: 0, storedBytes: 0, announcedBytes: 6 }
      expect(await begin("b", labels, { size: 5 })).toEqual({ kind: "overOwnerQuota", usage })
      expect(await commitWhole("b", labels)).toEqual({ kind: "refused" })
      expect(await catalog().get("b")).toBeNull()
      expect(await begin("c", { ...labels, owner: "user-8" }, { size: 10 })).toMatchObject({ kind: "granted" })
      expect(await begin("a", labels, { size: 6 })).toMatchObject({ kind: "granted", epoch: 2 })
      await fail("a", 2)
      expect(await begin("b", labels, { size: 10 })).toMatchObject({ kind: "granted" })
    })

    it("lets no two begins slip below the quota together", async () => {
      const labels = { owner: "user-7", ownerQuota: 15 }
      const begun = await Promise.all(Array.from("abcdefgh", (key) => begin(key, labels, { size: 5 })))
      expect(begun.filter(({ kind }) => kind === "granted")).toHaveLength(3)
    })

    it("counts what a new upload of the same owner replaces as free, and of no other", async () => {
      await begin("key", { owner: "user-7", ownerQuota: 10 }, { size: 6 })
      expect(await begin("key", { owner: "user-7", ownerQuota: 10 }, { size: 10 })).toMatchObject({ kind: "granted" })
      await begin("other", { owner: "user-8" }, { size: 6 })
      const another = { owner: "user-7", ownerQuota: 15 }
      expect(await begin("other", another, { size: 7 })).toMatchObject({ kind: "overOwnerQuota" })
    })
  })

  describe("listings by owner and path", () => {
    const letters = ["a", "b/", "b/c", "é", "\u{ffff}", "\u{10000}", "\u{10ffff}"]
    const owners = [undefined, "user-7", "user-8"]

    it("find what a walk over all files finds, in pages of any size", async () => {
      const make = ({ pick, below }: Random) => ({
        owner: pick(owners),
        path: below(5) === 0 ? undefined : pick(letters) + pick(letters) + pick(["x", "y"]),
        state: pick<FileStatus>(["Uploading", "Pending", "Uploaded", "Deleting", "Failed"]),
        appId: below(6) === 0 ? "other" : "app",
      })
      await tryAll(6, { longest: 30, make }, async (files, round) => {
        const [app, other] = [`app-${round}`, `other-${round}`]
        const made = files.map((file, i) => ({
          ...file,
          appId: file.appId === "app" ? app : other,
          key: `${round}-${i}`,
        }))
        for (const { key, owner, path, state, appId } of made) {
          const labels = { owner, path, ...(state === "Pending" && { claimWithin: 500 }) }
          await begin(key, labels, { appId, expires: state === "Failed" ? 10 : 10_000 })
          if (state === "Pending" || state === "Uploaded" || state === "Deleting") await commit(key)
          if (state === "Failed") await fail(key)
          if (state === "Deleting") await remove([key], 2100, appId)
        }
        const sorted = (path: string) =>
          new TextEncoder()
            .encode(path)
            .join(",")
            .replace(/\d+/g, (n) => n.padStart(3, "0"))
        for (const owner of owners)
          for (const status of [undefined, "Pending", "Uploaded", "Uploading"] as const) {
            const own = made.filter(
              (file) =>
                file.appId === app &&
                (owner === undefined || file.owner === owner) &&
                (status === undefined || file.state === status),
            )
            const newest = await catalog().list({ appId: app, owner, status, limit: 100 })
            expect(newest.map(({ key }) => key)).toEqual(own.map(({ key }) => key).toReversed())
            for (const prefix of ["", "a", "b", "b/", "\u{ffff}", "\u{10ffff}", "zz"]) {
              const expected = own
                .filter(({ path }) => path?.startsWith(prefix))
                .sort((a, b) => (sorted(a.path!) < sorted(b.path!) ? -1 : sorted(a.path!) > sorted(b.path!) ? 1 : 0))
              const found: Array<string> = []
              let after: { path: string; id: number } | undefined
              for (;;) {
                const page = await catalog().listByPath({ appId: app, prefix, owner, status, after, limit: 3 })
                found.push(...page.map(({ key }) => key))
                const last = page.at(-1)
                if (page.length < 3 || last === undefined) break
                after = { path: last.path!, id: last.id }
              }
              expect(found).toEqual(expected.map(({ key }) => key))
            }
          }
      })
    })
  })

  it("keeps labels through the expiry of an upload that never ended", async () => {
    await begin("key", { owner: "user-7" }, { expires: 10 })
    await expire({ expired: 11 })
    expect(await fileOf("key")).toMatchObject({ status: "Failed", owner: "user-7" })
    expect(await catalog().usageOfOwner("app", "user-7")).toEqual({ files: 0, storedBytes: 0, announcedBytes: 0 })
  })
}
