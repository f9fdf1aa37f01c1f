import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog } from "../../ingest.ts"
import { type Random, tryAll } from "../random.ts"
import { driveCatalog, noUsage } from "./drive-catalog.ts"

const far = Number.MAX_SAFE_INTEGER

/** What the catalog keeps of an app is counted, and bounded. */
export const testCatalogBounds = (catalog: () => Catalog): void => {
  const { begin, commitWhole, commit, register, remove, reclaimAll, fail, expire, end } = driveCatalog(catalog)
  const usage = (appId = "app") => catalog().usage(appId)
  const keys = (count: number, prefix = "k") => Array.from({ length: count }, (_, i) => `${prefix}${i}`)

  describe("what is announced", () => {
    it("is bounded by the number of files, and has room again when they arrive, fail, are deleted or never come", async () => {
      const bounds = { expectedFiles: 4 }
      expect(await register(["a", "b", "c", "d"], { bounds })).toBe("registered")
      expect(await register(["e"], { bounds })).toBe("tooManyExpected")
      expect(await register(["a", "b"], { bounds })).toBe("registered")
      expect(await register(["e"], { bounds, appId: "other" })).toBe("registered")
      await begin("e")
      expect((await catalog().get("e"))?.registration).toMatchObject({ metadata: '{"userId":7}' })
      await commitWhole("a")
      await begin("b")
      await fail("b")
      await begin("c")
      await remove(["c"])
      expect((await usage()).expectedFiles).toBe(1)
      expect(await register(["f", "g", "h"], { bounds })).toBe("registered")
      expect(await register(["i"], { bounds })).toBe("tooManyExpected")
      await expire({ abandoned: far })
      expect(await usage()).toMatchObject({ expectedFiles: 0, expectedBytes: 0 })
      expect(await register(["i"], { bounds })).toBe("registered")
    })

    it("is bounded by its size, metadata included", async () => {
      const bounds = { expectedBytes: 100_000 }
      const metadata = JSON.stringify("x".repeat(40_000))
      expect(await register(["a"], { bounds, metadata })).toBe("registered")
      expect(await register(["b"], { bounds, metadata })).toBe("registered")
      expect(await register(["c"], { bounds, metadata })).toBe("tooManyExpected")
      expect(await register(["c"], { bounds })).toBe("registered")
      // Said again it takes no more room.
      expect(await register(["b"], { bounds, metadata })).toBe("registered")
      await begin("a")
      await commit("a")
      expect(await register(["d"], { bounds, metadata })).toBe("registered")
    })

    it("has a thousand files share their registration", async () => {
      const metadata = JSON.stringify("x".repeat(60_000))
      const bounds = { expectedBytes: 350_000 }
      expect(await register(keys(1000), { bounds, metadata })).toBe("registered")
      expect((await usage()).expectedBytes).toBeLessThan(250_000)
    })
  })

  describe("a quota", () => {
    const quota = 16 * 1024 * 1024
    const metadata = JSON.stringify("x".repeat(64_000))

    it("bounds what the catalog keeps as well: registrations, also of files that came", async () => {
      const registerNext = () => register([`k${registered}`], { metadata, bounds: { quota } })
      let registered = 0
      for (; registered < 1000 && (await registerNext()) === "registered"; registered++) {
        await commitWhole(`k${registered}`, { size: 0 })
      }
      expect(registered).toBeGreaterThan(200)
      expect(registered).toBeLessThan(quota / 64_000)
      expect((await usage()).catalogBytes).toBeLessThanOrEqual(quota)
      expect(await register(["more"], { metadata, bounds: { quota } })).toBe("overQuota")
      await remove(keys(20))
      await reclaimAll()
      expect(await register(["more"], { metadata, bounds: { quota } })).toBe("registered")
    })

    it("bounds empty files: each has its record", async () => {
      expect(await commitWhole("a", { size: 0 }, 2000, quota)).toMatchObject({ kind: "committed" })
      for (let i = 0; i < 17; i++) {
        await register([`k${i}`])
        await commitWhole(`k${i}`)
        await catalog().recordResult({
          appId: "app",
          key: `k${i}`,
          result: { data: JSON.stringify("x".repeat(1024 * 1024)) },
          now: 3000,
        })
      }
      expect(await commitWhole("b", { size: 0 }, 2000, quota)).toEqual({ kind: "refused" })
      expect(await begin("b", { size: 0 }, 1000, quota)).toMatchObject({ kind: "overQuota" })
    })
  })

  it("counts nothing any more of an app whose files are all gone", async () => {
    const kinds = ["begin", "whole", "commit", "fail", "register", "result", "delete", "reclaim", "drop"]
    const make = ({ pick }: Random) => ({ kind: pick(kinds), key: pick(["a", "b", "c"]), size: pick([4, 5]) })
    await tryAll(60, { longest: 25, make }, async (steps, round) => {
      const appId = `app-${round}`
      const own = (name: string) => `${appId}-${name}`
      // Later and later, so that each upload is a new one.
      let now = 1000
      for (const { kind, key: name, size } of steps) {
        const grant = { appId, size, issuedAt: (now += 10) }
        const file = (await catalog().get(own(name)))?.file
        if (kind === "begin") await begin(own(name), grant, now)
        else if (kind === "whole") await commitWhole(own(name), grant, now)
        else if (kind === "commit") await commit(own(name), file?.epoch)
        else if (kind === "fail") await fail(own(name), file?.epoch)
        else if (kind === "register") await register([own(name)], { appId, metadata: JSON.stringify("é".repeat(size)) })
        else if (kind === "delete") await remove([own(name)], now, appId)
        else if (kind === "drop") await expire({ unregistered: far })
        else if (kind === "reclaim") await reclaimAll()
        else {
          const result = { data: JSON.stringify("é".repeat(size)) }
          await catalog().recordResult({ appId, key: own(name), result, now })
        }
      }
      await remove(["a", "b", "c"].map(own), now, appId)
      await expire({ abandoned: far })
      await reclaimAll()
      for (const due of await catalog().claimDue({ channel: "callback", now: far, claimedUntil: far, limit: 100 })) {
        await end(due, "delivered")
      }
      await catalog().prune({ before: far, limit: 100 })
      await catalog().forgetTombstones({ now: far, limit: 100 })
      expect(await catalog().usage(appId)).toEqual(noUsage)
    })
  })
}
