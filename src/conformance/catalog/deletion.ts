import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog } from "../../ingest.ts"
import { limits } from "../../protocol.ts"
import { driveCatalog, grantOf } from "./drive-catalog.ts"

/** What of a deletion outlives the file. */
export const testCatalogDeletion = (catalog: () => Catalog): void => {
  const { begin, commitWhole, commit, register, remove, reclaimAll, fileOf, fail, expire } = driveCatalog(catalog)
  const statusOf = async (key: string) => (await fileOf(key))?.status
  const untilOf = async (key: string, appId = "app") => (await catalog().findTombstone(appId, key))?.until

  describe("a deleted file", () => {
    it("does not come back by a URL of its upload, old or renewed, in one piece or in several", async () => {
      await commitWhole("whole", { issuedAt: 900 })
      await begin("long", { issuedAt: 900 })
      await commit("long")
      await remove(["whole", "long"])
      for (const isGone of [false, true]) {
        if (isGone) await reclaimAll()
        for (const key of ["whole", "long"]) {
          for (const grant of [
            { issuedAt: 900 },
            { issuedAt: 900, expires: 99_000 },
            {},
            { size: 6 },
            { issuedAt: 3000 },
          ]) {
            expect(await begin(key, grant, 4000)).toEqual({ kind: "deleted" })
            expect(await commitWhole(key, grant, 4000)).toEqual({ kind: "refused" })
          }
        }
      }
      expect(await statusOf("whole")).toBeUndefined()
    })

    it("leaves its key to an upload that was signed later, also while its bytes are still there", async () => {
      await begin("key", { issuedAt: 900 })
      await commit("key")
      await remove(["key"])
      await register(["key"])
      expect(await begin("key", { issuedAt: 3001 }, 4000)).toMatchObject({ kind: "granted", epoch: 3, isNew: true })
      const [old, ...others] = await catalog().listReclaimable(10)
      expect(others).toEqual([])
      expect(await commit("key", 3)).toMatchObject({ kind: "committed" })
      await catalog().reclaimed(old!)
      expect(await statusOf("key")).toBe("Uploaded")
      expect(await begin("key", { issuedAt: 900 }, 4000)).toEqual({ kind: "deleted" })
      expect(await begin("key", { issuedAt: 3001 }, 4000)).toMatchObject({ kind: "finished" })
    })

    it("names no epoch of bytes to remove that is older than the one of their last writer", async () => {
      await register(["one", "two", "failed"])
      for (const key of ["one", "two", "failed", "unregistered"]) await begin(key)
      for (const key of ["two", "failed", "unregistered"])
        expect(await begin(key)).toMatchObject({ epoch: 2, isNew: false })
      for (const key of ["two", "unregistered"]) await commit(key, 2)
      await expire({ unregistered: Number.MAX_SAFE_INTEGER })
      await fail("failed", 2)
      await remove(["one", "two"])
      const given: Readonly<Record<string, number>> = { one: 1, two: 2, failed: 2, unregistered: 2 }
      const found = await catalog().listReclaimable(10)
      expect(found.map(({ key }) => key).toSorted()).toEqual(["failed", "one", "two", "unregistered"])
      for (const { key, lastEpoch = Infinity } of found) expect(lastEpoch >= given[key]!).toBe(true)
    })

    it("lets a small upload that was signed later come in one piece", async () => {
      await commitWhole("key", { issuedAt: 900 })
      await remove(["key"])
      await reclaimAll()
      expect(await commitWhole("key", { issuedAt: 3001 }, 4000)).toEqual({ kind: "refused" })
      await register(["key"])
      expect(await commitWhole("key", { issuedAt: 3001 }, 4000)).toMatchObject({ kind: "committed" })
    })

    it("stays deleted for URLs of an app whose clock is ahead", async () => {
      await commitWhole("key", { issuedAt: 5000 })
      await remove(["key"])
      await reclaimAll()
      await register(["key"])
      expect(await begin("key", { issuedAt: 5000 }, 6000)).toEqual({ kind: "deleted" })
      expect(await begin("key", { issuedAt: 5001 }, 6000)).toMatchObject({ kind: "granted" })
    })

    for (const registrationId of [undefined, "later"]) {
      it(`leaves its key to nobody the app has not registered since, whatever the URL says (id ${registrationId})`, async () => {
        await register(["key"])
        await begin("key", { issuedAt: 900 })
        await commit("key")
        // Registered before the deletion, and never sent.
        await register(["key"], { id: registrationId })
        await remove(["key"])
        for (const isGone of [false, true]) {
          if (isGone) await reclaimAll()
          const late = { registrationId, issuedAt: 500_000 }
          expect(await begin("key", late, 500_000)).toEqual({ kind: "unregistered" })
          expect(await commitWhole("key", late, 500_000)).toEqual({ kind: "refused" })
          expect(await catalog().judgeKey(grantOf("key", late), 559_999)).toBe("unregistered")
          expect(await begin("key", late, 560_000)).toEqual({ kind: "deleted" })
        }
        await register(["key"], { id: "another" })
        const mine = { registrationId, issuedAt: 600_000 }
        expect(await begin("key", mine, 600_000)).toEqual({ kind: "unregistered" })
        await register(["key"], { id: registrationId })
        expect(await begin("key", mine, 600_000)).toMatchObject({ kind: "granted" })
        // Also when it has ended, and nothing is expected any more.
        expect(await begin("key", mine, 600_001)).toMatchObject({ kind: "granted", isNew: false })
        await commit("key", (await catalog().get("key"))!.file.epoch)
        expect(await begin("key", mine, 600_002)).toMatchObject({ kind: "finished" })
        expect(await begin("key", { ...mine, issuedAt: 600_001 }, 700_000)).toEqual({ kind: "deleted" })
      })
    }

    it("leaves its key to URLs that need no registration when they are surely later", async () => {
      const slug = undefined
      await commitWhole("key", { slug, issuedAt: 900 })
      await remove(["key"])
      expect(await begin("key", { slug, issuedAt: 3000 + 300_000 }, 4000)).toEqual({ kind: "deleted" })
      expect(await begin("key", { slug, issuedAt: 3001 + 300_000 }, 4000)).toMatchObject({ kind: "granted" })
    })

    it("is remembered as long as its URL can be renewed, and then forgotten", async () => {
      await begin("key", { issuedAt: 900 })
      await commit("key")
      await remove(["key"])
      await reclaimAll()
      const until = (await untilOf("key"))!
      expect(until).toBe(1000 + limits.uploadLifetime)
      expect(await catalog().forgetTombstones({ now: until - 1, limit: 10 })).toBe(0)
      expect(await begin("key", {}, until - 1)).toEqual({ kind: "deleted" })
      expect(await begin("key", { expires: until + 9 }, until)).toMatchObject({ kind: "granted", isNew: true })
      expect(await catalog().forgetTombstones({ now: until + 9, limit: 10 })).toBe(1)
      expect(await catalog().findTombstone("app", "key")).toBeNull()
    })

    it("is remembered until the latest URL ends that was seen, and not at all where all have ended", async () => {
      const day = 24 * 60 * 60 * 1000
      await commitWhole("long", { expires: 9 * day })
      await commitWhole("again")
      expect(await begin("again", { expires: 8 * day })).toMatchObject({ kind: "finished" })
      await commitWhole("ended")
      await remove(["long", "again"])
      await remove(["ended"], 2000 + limits.uploadLifetime)
      expect([await untilOf("long"), await untilOf("again"), await untilOf("ended")]).toEqual([
        9 * day,
        8 * day,
        undefined,
      ])
      await reclaimAll()
      // One that was not seen before and does not say when it was signed.
      expect(await begin("long", { expires: 30 * day }, 4000)).toEqual({ kind: "deleted" })
      expect(await untilOf("long")).toBe(30 * day)
    })

    it("is remembered longer where its key was registered for another upload since", async () => {
      await register(["key"])
      await begin("key")
      await commit("key")
      await register(["key"], { now: 500_000 })
      await remove(["key"], limits.uploadLifetime + 2000)
      expect(await untilOf("key")).toBe(500_000 + limits.uploadLifetime)
    })

    it("is one of its app only", async () => {
      await commitWhole("key")
      await remove(["key"])
      expect(await catalog().findTombstone("other", "key")).toBeNull()
      expect(await remove(["theirs"], 3000, "other")).toEqual([])
      expect(await begin("theirs")).toMatchObject({ kind: "granted" })
    })

    it("is deleted a second time when it was uploaded again", async () => {
      await commitWhole("key", { issuedAt: 900 })
      await remove(["key"])
      await register(["key"])
      await begin("key", { issuedAt: 3001 }, 4000)
      expect(await remove(["key"], 5000)).toEqual(["key"])
      await reclaimAll()
      await register(["key"])
      expect(await begin("key", { issuedAt: 3001 }, 6000)).toEqual({ kind: "deleted" })
      expect(await begin("key", { issuedAt: 5001 }, 6000)).toMatchObject({ kind: "granted" })
      expect(await statusOf("key")).toBe("Uploading")
    })

    it("is forgotten no more at a time than was asked for", async () => {
      for (const key of ["a", "b", "c"]) await commitWhole(key)
      await remove(["a", "b", "c"])
      const now = 9 * limits.uploadLifetime
      expect(await catalog().forgetTombstones({ now, limit: 2 })).toBe(2)
      expect(await catalog().forgetTombstones({ now, limit: 2 })).toBe(1)
    })
  })

  describe("a key that is deleted before its file came", () => {
    it("takes no upload any more, and what it was registered with is forgotten", async () => {
      await register(["expected", "other"])
      expect(await remove(["expected", "signed"])).toEqual([])
      for (const key of ["expected", "signed"]) {
        expect(await begin(key, { issuedAt: 900 }, 4000)).toEqual({ kind: "deleted" })
        expect(await commitWhole(key, { issuedAt: 900 }, 4000)).toEqual({ kind: "refused" })
        expect(await untilOf(key)).toBe(3000 + limits.uploadLifetime)
      }
      expect(await catalog().findRegistration({ appId: "app", key: "expected" })).toBeNull()
      await begin("other")
      expect((await catalog().get("other"))?.registration).not.toBeNull()
    })

    it("counts among the announced files, so that there are not more than may be", async () => {
      const bounds = { expectedFiles: 2 }
      const files = (keys: string) => Array.from(keys, (fileKey) => ({ fileKey }))
      await commitWhole("there")
      expect(await catalog().deleteFiles({ appId: "app", files: files("ab"), now: 3000, bounds })).toEqual([])
      expect(await catalog().deleteFiles({ appId: "app", files: files("abc"), now: 3000, bounds })).toBe("tooMany")
      expect(await catalog().findTombstone("app", "c")).toBeNull()
      const there = [{ fileKey: "there" }]
      expect(await catalog().deleteFiles({ appId: "app", files: there, now: 3000, bounds })).toEqual(["there"])
      await catalog().forgetTombstones({ now: 9 * limits.uploadLifetime, limit: 9 })
      expect(await catalog().usage("app")).toMatchObject({ expectedFiles: 0, expectedBytes: 0 })
    })
  })

  describe("an upload whose key was taken", () => {
    it("leaves nothing once its bytes are gone, when no app is to hear of it", async () => {
      for (let round = 0; round < 3; round++) {
        await begin("key", { size: 6 })
        await begin("key", { size: 7 })
        await reclaimAll()
      }
      expect(await catalog().usage("app")).toMatchObject({ announcedBytes: 7, catalogBytes: 512 })
      await fail("key", 6)
      await reclaimAll()
      await begin("key", { expires: 20_000 })
      expect((await catalog().usage("app")).catalogBytes).toBe(512)
    })

    it("is not kept for an event of a development stream that nobody takes", async () => {
      await register(["key"], { isDev: true })
      await begin("key")
      await fail("key")
      await reclaimAll()
      expect(await catalog().prune({ before: 10_001, limit: 10 })).toBe(1)
      expect(await catalog().get("key")).toBeNull()
    })
  })
}
