import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { AppSettings, Catalog } from "../../ingest.ts"
import { driveCatalog, grantOf, noUsage } from "./drive-catalog.ts"

const settings: AppSettings = { name: null, defaultAcl: null, quota: null, callbackOrigins: null }

/** Two ids whose file keys begin alike: `djb2` is a hash of 31 bits. */
const alike = ["0008t", "000fj"] as const

/** What every catalog does with apps and their keys; part of the suite of all catalogs. */
export const testCatalogApps = (open: () => Catalog): void => {
  describe("apps", () => {
    const { begin, fail } = driveCatalog(open)
    const createApp = (id: string, given: Partial<AppSettings> = {}) =>
      open().createApp({ ...settings, ...given, id, createdAt: 1000 })
    const addKey = (appId: string, apiKey: string, now = 2000) => open().addKey({ appId, apiKey, now })
    const find = async (id: string) => (await open().listApps()).find((app) => app.id === id)

    it("there is none at first", async () => {
      expect(await open().listApps()).toEqual([])
    })

    it("keeps what the operator decided, the oldest first", async () => {
      const acme = {
        name: "Acme",
        defaultAcl: "private",
        quota: 5_000_000_000,
        callbackOrigins: ["https://acme.example"],
      } as const
      expect(await createApp("acme", acme)).toBe("created")
      expect(await open().createApp({ ...settings, quota: "unlimited", id: "a-later-one", createdAt: 1001 })).toBe(
        "created",
      )
      expect(await open().listApps()).toEqual([
        { id: "acme", createdAt: 1000, ...acme, keys: [] },
        { id: "a-later-one", createdAt: 1001, ...settings, quota: "unlimited", keys: [] },
      ])
    })

    it("an id is of one app", async () => {
      await createApp("acme", { name: "first" })
      expect(await createApp("acme", { name: "second" })).toBe("taken")
      expect(await find("acme")).toMatchObject({ name: "first" })
    })

    it("file keys that begin alike are of one app", async () => {
      await createApp(alike[0])
      expect(await createApp(alike[1])).toBe("taken")
      expect(await find(alike[1])).toBeUndefined()
    })

    it("changes what is given, and leaves the rest", async () => {
      await createApp("acme", { name: "Acme", quota: 10, callbackOrigins: ["https://a.example"] })
      expect(await open().changeApp("acme", { quota: null, defaultAcl: "private" })).toBe(true)
      expect(await find("acme")).toMatchObject({
        name: "Acme",
        quota: null,
        defaultAcl: "private",
        callbackOrigins: ["https://a.example"],
      })
      expect(await open().changeApp("nobody", { quota: 1 })).toBe(false)
    })

    it("an app has at most two active keys, the newest first", async () => {
      await createApp("acme")
      expect(await addKey("acme", "sk_one", 1)).toBe("added")
      expect(await addKey("acme", "sk_two", 2)).toBe("added")
      expect(await addKey("acme", "sk_three", 3)).toBe("tooMany")
      expect((await find("acme"))!.keys).toEqual([
        { id: expect.stringMatching(/^key_[0-9a-f]{12}$/), apiKey: "sk_two", createdAt: 2, revokedAt: null },
        { id: expect.stringMatching(/^key_[0-9a-f]{12}$/), apiKey: "sk_one", createdAt: 1, revokedAt: null },
      ])
    })

    it("the last active key of an app can be kept", async () => {
      await createApp("acme")
      await addKey("acme", "sk_one", 1)
      await addKey("acme", "sk_two", 2)
      const [two, one] = (await find("acme"))!.keys
      const revoke = (id: string) => open().revokeKey({ appId: "acme", id, now: 3, keepsLast: true })
      // At once: each sees the other key, but only one may go.
      expect((await Promise.all([revoke(one!.id), revoke(two!.id)])).toSorted()).toEqual([false, true])
      const left = (await find("acme"))!.keys.filter(({ revokedAt }) => revokedAt === null)
      expect(left).toHaveLength(1)
      expect(await open().revokeKey({ appId: "acme", id: left[0]!.id, now: 4 })).toBe(true)
    })

    it("a revoked key makes room, and its secret is forgotten", async () => {
      await createApp("acme")
      await addKey("acme", "sk_one", 1)
      await addKey("acme", "sk_two", 2)
      const [, old] = (await find("acme"))!.keys
      expect(await open().revokeKey({ appId: "acme", id: old!.id, now: 3 })).toBe(true)
      expect((await find("acme"))!.keys[1]).toEqual({ ...old, apiKey: null, revokedAt: 3 })
      expect(await open().revokeKey({ appId: "acme", id: old!.id, now: 4 })).toBe(false)
      expect(await addKey("acme", "sk_three", 5)).toBe("added")
      expect(await addKey("acme", "sk_one", 6)).toBe("taken")
    })

    it("a key is of one app", async () => {
      await createApp("acme")
      await createApp("other")
      await addKey("acme", "sk_one")
      expect(await addKey("other", "sk_one")).toBe("taken")
      expect(await addKey("nobody", "sk_two")).toBe("unknownApp")
      const [key] = (await find("acme"))!.keys
      expect(await open().revokeKey({ appId: "other", id: key!.id, now: 3 })).toBe(false)
      expect((await find("acme"))!.keys[0]).toMatchObject({ apiKey: "sk_one", revokedAt: null })
    })

    it("every change gives another revision, and nothing else does", async () => {
      const seen = new Set([await open().appsRevision()])
      const expectNew = async () => {
        const revision = await open().appsRevision()
        expect([...seen]).not.toContain(revision)
        seen.add(revision)
      }
      await createApp("acme")
      await expectNew()
      await open().changeApp("acme", { quota: 1 })
      await expectNew()
      await addKey("acme", "sk_one")
      await expectNew()
      await open().revokeKey({ appId: "acme", id: (await find("acme"))!.keys[0]!.id, now: 3 })
      await expectNew()
      await open().deleteApp("acme")
      await expectNew()
      const last = await open().appsRevision()
      await open().deleteApp("acme")
      await open().listApps()
      expect(await open().appsRevision()).toBe(last)
    })

    it("an app is forgotten with its keys, once it has no files", async () => {
      await createApp("acme")
      await addKey("acme", "sk_one")
      await begin("k", { appId: "acme" })
      expect(await open().deleteApp("acme")).toBe("hasFiles")
      expect(await find("acme")).toBeDefined()
      await fail("k")
      expect(await open().deleteApp("acme")).toBe("deleted")
      expect(await open().deleteApp("acme")).toBe("unknown")
      expect(await open().listApps()).toEqual([])
      await createApp("acme")
      expect(await addKey("acme", "sk_one")).toBe("added")
    })

    describe("one that is deleted", () => {
      const { begin, commit, commitWhole, fail, register, remove, reclaimAll, fileOf } = driveCatalog(open)
      /** Leaves something of every kind, but files. */
      const leave = async (): Promise<void> => {
        await createApp("app")
        await register(["expected", "failed", "reclaimed", "replaced", "gone", "cut"])
        await begin("failed", { issuedAt: 900 })
        await fail("failed")
        await begin("replaced")
        await begin("replaced", { size: 6 })
        await fail("replaced", 2)
        await begin("reclaimed")
        await fail("reclaimed")
        for (const { id, key } of await open().listReclaimable(100)) {
          if (key === "reclaimed") await open().reclaimed({ id, key })
        }
        // Deleted, uploaded again before its bytes were removed, and failed.
        await commitWhole("cut", { slug: undefined })
        await remove(["cut"])
        await begin("cut", { slug: undefined, issuedAt: 1_000_000 }, 1_000_000)
        await fail("cut", 3)
        await commitWhole("gone")
        await remove(["gone", "unknown"])
        for (const { id, key } of await open().listReclaimable(100)) {
          if (key === "gone") await open().reclaimed({ id, key })
        }
      }

      it("leaves nothing to an app of its id that is made later: no file, registration, tombstone, event or usage", async () => {
        await leave()
        expect((await open().usage("app")).expectedFiles).toBe(2)
        expect((await open().countDeliveries(10)).pending).toBeGreaterThan(2)
        expect(await open().deleteApp("app")).toBe("deleted")
        await open().createApp({ ...settings, id: "app", createdAt: 5000 })
        expect(await open().usage("app")).toEqual(noUsage)
        expect(await open().list({ appId: "app", limit: 10 })).toEqual([])
        expect(await open().list({ limit: 10 })).toEqual([])
        expect(await open().listDeliveries({ limit: 10 })).toEqual([])
        expect(await open().countDeliveries(10)).toEqual({ pending: 0, dead: 0 })
        expect(await open().nextDueAt(0)).toBeNull()
        for (const key of ["expected", "failed", "reclaimed", "replaced", "gone", "cut", "unknown"]) {
          expect(await open().get(key)).toBeNull()
          expect(await open().findTombstone("app", key)).toBeNull()
          expect(await open().findRegistration({ appId: "app", key })).toBeNull()
        }
        expect(await begin("expected", {}, 6000)).toMatchObject({ kind: "granted", isNew: true })
        await commit("expected")
        expect((await open().get("expected"))!.registration).toBeNull()
        // What the new one uploads is its own, also while old bytes wait for their removal, and afterwards.
        expect(await commitWhole("failed", {}, 6000)).toMatchObject({ kind: "committed", due: null })
        const usage = await open().usage("app")
        expect(usage).toEqual({ ...noUsage, files: 2, storedBytes: 10, catalogBytes: 1024 })
        expect((await open().listReclaimable(100)).map(({ key }) => key).toSorted()).toEqual([
          "cut",
          "cut",
          "failed",
          "replaced",
          "replaced",
        ])
        await reclaimAll()
        expect(await open().listReclaimable(100)).toEqual([])
        expect((await fileOf("failed"))?.status).toBe("Uploaded")
        expect(await open().usage("app")).toEqual(usage)
      })

      it("takes nothing more, also after another has its id", async () => {
        await createApp("app")
        await open().deleteApp("app")
        const grant = grantOf("key")
        const late = async () => {
          expect(await open().begin({ grant, origin: "", now: 1, appSince: 1000 })).toEqual({ kind: "unknownApp" })
          expect(
            await open().commitWhole({
              grant,
              origin: "",
              bytes: new Uint8Array(5),
              fileHash: "",
              now: 1,
              eventId: "evt_late",
              claimedUntil: null,
              appSince: 1000,
            }),
          ).toEqual({ kind: "refused" })
          expect(await register(["key"], { appSince: 1000 })).toBe("unknownApp")
          expect(
            await open().deleteFiles({ appId: "app", files: [{ fileKey: "key" }], now: 1, appSince: 1000 }),
          ).toEqual([])
          expect(await open().usage("app")).toEqual(noUsage)
        }
        await late()
        await open().createApp({ ...settings, id: "app", createdAt: 5000 })
        await late()
        expect(await open().begin({ grant, origin: "", now: 1, appSince: 5000 })).toMatchObject({ kind: "granted" })
      })
    })
  })
}
