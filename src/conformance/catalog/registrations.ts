import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog, DueDelivery } from "../../ingest.ts"
import { callbackUrl, content, driveCatalog, type DrivenRegistration, failure, grantOf } from "./drive-catalog.ts"

/** Says how many rows, or entries, a catalog keeps, by table. */
export type CatalogCount = (
  catalog: Catalog,
) => Readonly<Record<string, number>> | Promise<Readonly<Record<string, number>>>

/** When an app registers a key: before its upload or after it. */
const orders = [
  ["registered first", true],
  ["registered afterwards", false],
] as const

/** What of a catalog is about several registrations of one key; part of `testCatalog`. */
export const testCatalogRegistrations = (open: () => Catalog, count: CatalogCount | undefined): void => {
  /** What the URLs of two users say whom the app gave the same keys. */
  const alice = { registrationId: "alice", issuedAt: 100 }
  const bob = { registrationId: "bob", issuedAt: 200 }

  const drive = driveCatalog(open)
  const { begin, commitWhole, expire, reclaimAll, remove } = drive
  const epochOf = async (key: string) => (await drive.fileOf(key))!.epoch
  const commit = async (key: string) => drive.commit(key, await epochOf(key))
  const fail = async (key: string) => drive.fail(key, await epochOf(key))
  const register = (fileKeys: ReadonlyArray<string>, id: string | undefined, options: DrivenRegistration = {}) =>
    drive.register(fileKeys, { id, metadata: JSON.stringify({ user: id ?? null }), ...options })
  const claim = () => drive.claim(99_000, 100)
  const metadataOf = (due: ReadonlyArray<DueDelivery>) =>
    due.map(({ hook, registration: { metadata } }) => [hook, JSON.parse(metadata).user])
  const find = (key: string, id?: string, appId = "app") => open().findRegistration({ appId, key, id })

  describe("several registrations of one key", () => {
    it("give a stored file again to its own alone", async () => {
      await begin("key", alice)
      await commit("key")
      expect(await begin("key", bob)).toEqual({ kind: "taken" })
      expect(await begin("key", {})).toEqual({ kind: "taken" })
      expect(await begin("key", { ...alice, expires: 99_000 })).toMatchObject({ kind: "finished" })
      expect(await commitWhole("whole", alice)).toMatchObject({ kind: "committed" })
      expect(await commitWhole("whole", bob)).toEqual({ kind: "refused" })
      expect(await begin("whole", bob)).toEqual({ kind: "taken" })
    })

    it("share no byte: the one issued last takes the key from an unfinished one, which never gets it back", async () => {
      await begin("key", alice)
      const { id } = (await open().get("key"))!.file
      const begun = await begin("key", bob)
      expect(begun).toMatchObject({ kind: "granted", isNew: true })
      expect((await open().get("key"))!.file).toMatchObject({ registrationId: "bob", issuedAt: 200 })
      expect(begun).not.toMatchObject({ id })
      expect(await open().listReclaimable(10)).toMatchObject([{ id, key: "key" }])
      expect(await begin("key", { ...alice, expires: 99_000 })).toEqual({ kind: "taken" })
      expect(await begin("key", { registrationId: "carol", issuedAt: bob.issuedAt })).toEqual({ kind: "taken" })
      await fail("key")
      expect(await begin("key", alice)).toEqual({ kind: "taken" })
      expect(await begin("key", { registrationId: "carol", issuedAt: 300 })).toMatchObject({ isNew: true })
    })

    it("go on with their own upload, renewed or not", async () => {
      await begin("key", alice)
      expect(await begin("key", { ...alice, expires: 99_000 })).toMatchObject({ kind: "granted", isNew: false })
      expect(await begin("key", alice)).toMatchObject({ kind: "granted", isNew: false })
      expect((await open().get("key"))!.file.expires).toBe(99_000)
    })

    it("hear of their own failure for good, another one begins anew", async () => {
      await begin("key", alice)
      await fail("key")
      expect(await begin("key", { ...alice, expires: 99_000 })).toEqual({ kind: "failed", failure })
      expect(await begin("key", bob)).toMatchObject({ kind: "granted", isNew: true })
    })

    for (const [when, isFirst] of orders) {
      it(`are told of their own files, ${when}`, async () => {
        const both = async () => {
          await register(["stored", "whole", "failed"], "alice")
          await register(["stored", "whole", "failed"], "bob")
        }
        if (isFirst) await both()
        await begin("stored", bob)
        await commit("stored")
        await commitWhole("whole", bob)
        await begin("failed", bob)
        await fail("failed")
        if (!isFirst) await both()
        expect(metadataOf(await claim())).toEqual([
          ["callback", "bob"],
          ["callback", "bob"],
          ["error", "bob"],
        ])
        for (const key of ["stored", "whole", "failed"]) {
          expect((await open().get(key))!.registration?.metadata).toBe('{"user":"bob"}')
        }
      })
    }

    for (const [when, isFirst] of orders) {
      it(`are told when another one takes their key, ${when}`, async () => {
        if (isFirst) await register(["key"], "alice")
        await begin("key", alice)
        await begin("key", bob)
        if (!isFirst) await register(["key"], "alice")
        const due = await claim()
        expect(metadataOf(due)).toEqual([["error", "alice"]])
        expect(due[0]!.file.failure).toMatchObject({ code: "BAD_REQUEST" })
        await register(["key"], "alice")
        expect(await open().countDeliveries(10)).toEqual({ pending: 1, dead: 0 })
        expect(await find("key", "alice")).toBeNull()
        await register(["key"], "bob")
        await commit("key")
        expect(metadataOf(await claim())).toContainEqual(["callback", "bob"])
      })
    }

    it("are told of an upload whose key was taken, also when what took it is gone", async () => {
      await begin("key", alice)
      await begin("key", bob)
      await remove(["key"])
      await reclaimAll()
      expect(await open().get("key")).toBeNull()
      expect(await register(["key"], "alice")).toBe("registered")
      expect(metadataOf(await claim())).toEqual([["error", "alice"]])
    })

    it("say nothing of an upload that is not their own, under way or stored", async () => {
      await register(["key"], "alice")
      await register(["key"], undefined)
      await begin("key", bob)
      expect((await open().get("key"))!.registration).toBeNull()
      expect(await commit("key")).toMatchObject({ due: null, upload: { registration: null, delivery: null } })
      await commitWhole("whole", bob)
      await register(["whole"], "alice")
      expect((await open().get("whole"))!.registration).toBeNull()
      expect(await claim()).toEqual([])
      expect(await expire({ unregistered: 2001 })).toBe(2)
    })

    it("are found while their upload can complete, and once it has", async () => {
      await register(["waiting", "begun", "stored", "failed", "deleted", "lost"], "alice")
      for (const key of ["begun", "stored", "failed", "deleted"]) await begin(key, alice)
      await commit("stored")
      await fail("failed")
      await remove(["deleted"])
      await begin("lost", bob)
      await commit("lost")
      const found = async (key: string, id?: string, appId?: string) => (await find(key, id, appId))?.metadata ?? null
      const own = '{"user":"alice"}'
      expect([await found("waiting", "alice"), await found("begun", "alice")]).toEqual([own, own])
      expect(await found("stored", "alice")).toBe(own)
      for (const key of ["failed", "deleted", "lost", "unknown"]) expect(await found(key, "alice"), key).toBeNull()
      await reclaimAll()
      expect(await found("deleted", "alice")).toBeNull()
      for (const key of ["waiting", "begun", "stored"]) {
        expect([await found(key, "bob"), await found(key), await found(key, "alice", "other")]).toEqual([
          null,
          null,
          null,
        ])
      }
      await register(["plain"], undefined)
      expect(await found("plain")).toBe('{"user":null}')
    })

    it("are kept as long as their newest URL, and so is what is under way", async () => {
      await register(["waiting", "begun"], "alice", { expires: 10_000 })
      await begin("begun", alice)
      await register(["waiting", "begun"], "alice", { expires: 30_000 })
      await register(["waiting", "begun"], "alice", { expires: 20_000 })
      expect((await open().get("begun"))!.file.expires).toBe(30_000)
      expect(await expire({ expired: 30_000, abandoned: 30_000 })).toBe(0)
      expect(await expire({ expired: 30_001, abandoned: 30_001 })).toBe(2)
      expect(metadataOf(await claim())).toEqual([["error", "alice"]])
    })

    it("are forgotten with the key when it is deleted: no upload of before may come", async () => {
      await register(["key"], "alice")
      await register(["key"], "bob")
      await begin("key", bob)
      await remove(["key"])
      await reclaimAll()
      expect(await find("key", "bob")).toBeNull()
      expect(await find("key", "alice")).toBeNull()
      expect(await begin("key", alice, 3001)).toEqual({ kind: "deleted" })
    })

    it("get the results of their own events, whoever has the key since", async () => {
      await register(["key"], "alice")
      await begin("key", alice)
      await fail("key")
      const [failed] = await claim()
      await register(["key"], "bob")
      await begin("key", bob)
      await commit("key")
      const stored = (await open().get("key"))!.delivery!
      const record = (eventId: string | undefined, data: string, appId = "app") =>
        open().recordResult({ appId, key: "key", eventId, result: { data }, now: 3000 })
      expect(await record(failed!.id, "1")).toBe(true)
      expect((await open().get("key"))!.result).toBeNull()
      expect(await record("evt_unknown", "2")).toBe(false)
      expect(await record(stored.id, "3", "other")).toBe(false)
      expect((await open().get("key"))!.result).toBeNull()
      expect(await record(stored.id, "4")).toBe(true)
      expect((await open().get("key"))!.result).toEqual({ data: "4" })
      await remove(["key"])
      expect(await record(stored.id, "5")).toBe(true)
    })
  })

  it("the newest URL of an upload that goes on says who may read it, how it is offered and its custom id", async () => {
    await begin("key", { acl: "public-read", customId: "first", contentDisposition: "inline" })
    const second = {
      acl: "private",
      customId: "second",
      contentDisposition: "attachment",
      cache: "immutable",
      expires: 20_000,
    } as const
    await begin("key", second)
    expect((await open().get("key"))!.file).toMatchObject(second)
    await begin("key", { acl: "public-read", customId: "first", contentDisposition: "inline" })
    expect((await open().get("key"))!.file).toMatchObject(second)
    await commit("key")
    await register(["key"], undefined)
    expect(await open().findByCustomId("app", "second")).toMatchObject({ key: "key", acl: "private" })
    await begin("key", { acl: "public-read", customId: "third", expires: 30_000 })
    expect((await open().get("key"))!.file).toMatchObject({ acl: "private", customId: "second" })
  })

  if (count === undefined) return

  it("keeps nothing of what has ended, but what is meant to be history", async () => {
    const before = await count(open())
    const metadata = JSON.stringify("x".repeat(1000))
    for (const id of [undefined, "alice"]) {
      const keys = ["stored", "whole", "failed", "expired", "deleted", "never", "dev"].map((name) => `${name}-${id}`)
      const owner = { registrationId: id, issuedAt: id === undefined ? undefined : 100 }
      // Before, meanwhile and afterwards, again and again.
      const registerAll = async () => {
        for (let again = 0; again < 10; again++) {
          await register(keys.slice(0, -1), id, { expires: 20_000, metadata })
          await register(keys.slice(-1), id, { expires: 20_000, metadata, isDev: true })
          await register([keys[again % keys.length]!], id, { expires: 20_000, metadata })
        }
      }
      await registerAll()
      const [stored, , failed, expired, deleted, , dev] = keys as [
        string,
        string,
        string,
        string,
        string,
        string,
        string,
      ]
      for (const key of [stored, failed, expired, deleted, dev]) await begin(key, owner)
      await registerAll()
      await commitWhole(keys[1]!, owner)
      await commit(stored)
      await commit(dev)
      await fail(failed)
      await remove([deleted])
      await registerAll()
      // Of uploads whose URLs say what their app wants.
      const wish = { metadata, callbackUrl, callbackSlug: "avatar", awaitServerData: true, isDev: false, trace: null }
      const sealed = ["begun", "done", "ill", "gone", "small"].map((name) => `sealed-${name}-${id}`)
      const [begun, done, ill, gone, small] = sealed as [string, string, string, string, string]
      for (const key of [begun, done, ill, gone]) {
        for (const now of [1000, 1100]) {
          await open().begin({ grant: grantOf(key, owner), registration: wish, origin: "http://ingest.example", now })
        }
      }
      await commit(done)
      await fail(ill)
      await remove([gone])
      await open().commitWhole({
        grant: grantOf(small, owner),
        registration: wish,
        origin: "http://ingest.example",
        bytes: content,
        fileHash: "ab",
        now: 2000,
        eventId: drive.createEventId(),
        claimedUntil: null,
      })
      await register(sealed, id, { expires: 20_000, metadata })
      // Of others who were given the same keys, before and after.
      const later = { registrationId: `later-${id}`, issuedAt: 300 }
      for (const key of [stored, failed, expired]) await begin(key, later)
      await register(keys, later.registrationId, { expires: 20_000, metadata })
      await open().recordResult({ appId: "app", key: stored, result: { data: "1" }, now: 3000 })
    }
    await expire({ expired: 99_000, unregistered: 99_000 })
    for (const channel of ["callback", { appId: "app", callbackSlug: "avatar" }] as const) {
      for (const due of await open().claimDue({ channel, now: 99_000, claimedUntil: 99_001, limit: 1000 })) {
        await drive.end(due, "delivered")
      }
    }
    const kept = await open().list({ limit: 100 })
    const rows = (counted: Readonly<Record<string, number>>) => Object.values(counted).reduce((sum, each) => sum + each)
    expect(rows(await count(open()))).toBeGreaterThan(rows(before) + 5)
    await remove(
      kept.map(({ key }) => key),
      60_000,
    )
    await reclaimAll()
    while ((await expire({ expired: 9e15, unregistered: 9e15, abandoned: 9e15 })) > 0);
    await reclaimAll()
    while ((await open().prune({ before: 9e15, limit: 100 })) > 0);
    while ((await open().forgetTombstones({ now: 9e15, limit: 100 })) > 0);
    expect(await count(open())).toEqual(before)
  })
}
