import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog } from "../../ingest.ts"
import { driveCatalog, dueOf } from "./drive-catalog.ts"

/** What a catalog ends and forgets as time goes by; part of the suite of all catalogs. */
export const testCatalogExpiry = (catalog: () => Catalog): void => {
  const { begin, commit, fail, register, claim, end, expire, remove, reclaimAll } = driveCatalog(catalog, {
    holdsClaims: true,
  })

  describe("expire", () => {
    it("fails unfinished uploads and owes registered ones an error event; their bytes can go", async () => {
      await register(["registered"])
      for (const key of ["registered", "plain", "later"]) await begin(key, key === "later" ? { expires: 90_000 } : {})
      expect(await expire({ expired: 10_001 })).toBe(2)
      expect((await catalog().get("plain"))?.file).toMatchObject({ status: "Failed", failure: { code: "EXPIRED_URL" } })
      expect((await catalog().get("later"))?.file.status).toBe("Uploading")
      expect(await claim(50_000)).toMatchObject([{ hook: "error", file: { key: "registered" } }])
      expect(await commit("plain")).toEqual({ kind: "fenced" })
      const reclaimable = await catalog().listReclaimable(10)
      expect(reclaimable.map(({ key }) => key).sort()).toEqual(["plain", "registered"])
      for (const file of reclaimable) await catalog().reclaimed(file)
      expect(await catalog().listReclaimable(10)).toEqual([])
      expect((await catalog().get("plain"))?.file.status).toBe("Failed")
    })

    it("lists what can go page by page, in one order, though nothing of it goes", async () => {
      for (const key of ["a", "b", "c", "d", "e"]) await begin(key)
      for (const key of ["e", "a", "c"]) await fail(key)
      await catalog().deleteFiles({ appId: "app", files: [{ fileKey: "d" }, { fileKey: "b" }], now: 3000 })
      const pages: Array<ReadonlyArray<string>> = []
      for (let after = 0; ;) {
        const page = await catalog().listReclaimable(2, after)
        pages.push(page.map(({ key }) => key))
        if (page.length < 2) break
        after = page.at(-1)!.id
      }
      expect(pages).toEqual([["a", "b"], ["c", "d"], ["e"]])
    })

    it("deletes client-side files nobody registered, and nothing else", async () => {
      await register(["registered"])
      for (const key of ["registered", "unregistered"]) await begin(key)
      await begin("server-side", { slug: undefined })
      for (const key of ["registered", "unregistered", "server-side"]) await commit(key)
      expect(await expire({ unregistered: 2000 })).toBe(0)
      expect(await expire({ unregistered: 2001 })).toBe(1)
      expect((await catalog().get("unregistered"))?.file.status).toBe("Deleting")
      const [file, ...others] = await catalog().listReclaimable(10)
      expect(others).toEqual([])
      // Nobody has deleted it: it may be sent again, before its bytes are gone and afterwards.
      expect(await begin("unregistered")).toMatchObject({ kind: "granted", epoch: 2, isNew: true })
      await catalog().reclaimed(file!)
      expect((await catalog().get("unregistered"))?.file).toMatchObject({ status: "Uploading", epoch: 2 })
      expect(await catalog().listReclaimable(10)).toEqual([])
    })

    it("forgets registrations whose files never came", async () => {
      await register(["never", "coming"], { expires: 1500 })
      await begin("coming")
      expect(await expire({ abandoned: 1500 })).toBe(0)
      expect(await expire({ abandoned: 1501 })).toBe(1)
      await begin("never")
      expect((await catalog().get("never"))?.registration).toBeNull()
      expect((await catalog().get("coming"))?.registration).not.toBeNull()
    })

    it("fences off whoever was writing an upload that expires, as deletion does", async () => {
      for (const key of ["expired", "failed", "deleted"]) await begin(key)
      await fail("failed")
      await remove(["deleted"])
      await expire({ expired: 10_001 })
      const epochOf = async (key: string) => (await catalog().get(key))!.file.epoch
      // Who ends his own upload has nobody to fence off.
      expect([await epochOf("expired"), await epochOf("deleted"), await epochOf("failed")]).toEqual([2, 2, 1])
      expect(await begin("expired", { expires: 90_000 })).toMatchObject({ kind: "granted", epoch: 3, isNew: true })
    })

    it("takes no more than it was told at a time", async () => {
      for (const key of ["a", "b", "c"]) await begin(key)
      expect(await expire({ expired: 99_000 }, 2)).toBe(2)
      expect(await expire({ expired: 99_000 }, 2)).toBe(1)
    })

    it("takes the oldest of each kind first, whatever the order they came in", async () => {
      const ends = { newest: 9000, oldest: 7000, middle: 8000 }
      for (const [name, at] of Object.entries(ends)) {
        await begin(`unfinished-${name}`, { expires: at })
        await begin(`unregistered-${name}`)
        await commit(`unregistered-${name}`, 1, { now: at })
        await register([`abandoned-${name}`], { id: "x", expires: at })
      }
      const statusOf = async (key: string) => (await catalog().get(key))!.file.status
      const isKept = async (key: string) => (await catalog().findRegistration({ appId: "app", key, id: "x" })) !== null
      for (const [index, name] of ["oldest", "middle", "newest"].entries()) {
        expect(await expire({ expired: 9001, unregistered: 9001, abandoned: 9001 }, 1)).toBe(3)
        expect(await statusOf(`unfinished-${name}`)).toBe("Failed")
        expect(await statusOf(`unregistered-${name}`)).toBe("Deleting")
        expect(await isKept(`abandoned-${name}`)).toBe(false)
        const others = ["middle", "newest"].slice(index)
        for (const other of others) expect(await isKept(`abandoned-${other}`)).toBe(true)
      }
    })
  })

  describe("prune", () => {
    const prune = (before: number, limit = 100) => catalog().prune({ before, limit })

    it("forgets failed files when their bytes are gone and their URL has long expired", async () => {
      for (const key of ["key", "uploading", "uploaded"]) await begin(key)
      await commit("uploaded")
      await fail("key")
      expect(await prune(10_001)).toBe(0)
      await reclaimAll()
      expect(await prune(10_000)).toBe(0)
      expect(await prune(10_001)).toBe(1)
      expect(await catalog().get("key")).toBeNull()
      expect(await begin("key")).toMatchObject({ kind: "granted", epoch: 1, isNew: true })
      expect((await catalog().get("uploading"))?.file.status).toBe("Uploading")
      expect((await catalog().get("uploaded"))?.file.status).toBe("Uploaded")
    })

    it("keeps a failed file whose app has not heard of it", async () => {
      await register(["key"])
      await begin("key")
      await fail("key")
      await reclaimAll()
      expect(await prune(99_000)).toBe(0)
      const [due] = await claim(2000)
      await end(due!, "delivered")
      expect(await catalog().listAttempts(due!.id)).toHaveLength(1)
      // The attempt goes with the file, and is not counted apart.
      expect(await prune(99_000)).toBe(1)
      expect(await catalog().get("key")).toBeNull()
      expect(await catalog().listAttempts(due!.id)).toEqual([])
    })

    it("forgets the attempts of a failed file with it, however late they were", async () => {
      await register(["key"])
      await begin("key")
      await fail("key")
      await reclaimAll()
      const [due] = await claim(2000)
      await catalog().recordAttempt({
        deliveryId: due!.id,
        attempt: 1,
        startedAt: 80_000,
        latency: 1,
        status: 200,
        error: null,
        answer: null,
        outcome: "delivered",
      })
      expect(await prune(70_000)).toBe(1)
      expect(await catalog().listAttempts(due!.id)).toEqual([])
    })

    it("forgets attempts, never the delivery of a file that is there", async () => {
      await register(["key"])
      await begin("key")
      await end(dueOf(await commit("key")), "delivered")
      const before = await catalog().get("key")
      expect(await prune(2000)).toBe(0)
      expect(await prune(2001)).toBe(1)
      expect(await prune(2001)).toBe(0)
      expect(await catalog().get("key")).toEqual(before)
    })

    it("takes no more than it was told at a time", async () => {
      for (const key of ["a", "b", "c"]) {
        await begin(key)
        await fail(key)
      }
      await reclaimAll()
      expect(await prune(99_000, 2)).toBe(2)
      expect(await prune(99_000, 2)).toBe(1)
    })
  })
}
