import { describe, it } from "../cases.ts"
import { expect } from "../expect.ts"
import type { Catalog, UploadRecord } from "../../ingest.ts"
import { callbackUrl, content, driveCatalog, dueOf, failure } from "./drive-catalog.ts"

/** How an upload begins, is registered and ends; part of the suite of all catalogs. */
export const testCatalogUploads = (catalog: () => Catalog): void => {
  const { begin, commitWhole, commit, fail, register, claim, expire, reclaimAll } = driveCatalog(catalog, {
    holdsClaims: true,
  })

  describe("begin", () => {
    it("makes a file that is Uploading, with all of its grant", async () => {
      const grant = {
        customId: "c",
        contentDisposition: "inline",
        acl: "private",
        cache: "immutable",
        name: "ü'\"\n.txt",
      } as const
      expect(await begin("key", grant)).toMatchObject({ kind: "granted", epoch: 1, isNew: true })
      expect(await catalog().get("key")).toEqual({
        file: {
          id: expect.any(Number),
          key: "key",
          appId: "app",
          status: "Uploading",
          name: "ü'\"\n.txt",
          size: 5,
          type: "text/plain",
          customId: "c",
          slug: "avatar",
          registrationId: null,
          issuedAt: null,
          contentDisposition: "inline",
          acl: "private",
          cache: "immutable",
          origin: "http://ingest.example",
          expires: 10_000,
          epoch: 1,
          createdAt: 1000,
          resumedAt: null,
          uploadedAt: null,
          fileHash: null,
          failure: null,
          isInline: false,
          blobRef: null,
          endedAt: null,
          owner: null,
          path: null,
          keepFor: null,
          claimWithin: null,
          hold: false,
          removeAt: null,
          claimBy: null,
          releasedAt: null,
          claimedAt: null,
        },
        registration: null,
        delivery: null,
        result: null,
        resultAt: null,
      })
    })

    it("knows no file it was not told of", async () => {
      expect(await catalog().get("key")).toBeNull()
      expect(await catalog().interrupt("key")).toBeNull()
    })

    it("is read for many keys at once as for each of them, with all that belongs to them", async () => {
      await register(["waits", "called", "failed"])
      const keys = ["begun", "waits", "called", "failed", "deleted", "renewed"]
      for (const key of keys) await begin(key)
      await begin("renewed", { size: 6 })
      await begin("not-asked-for")
      for (const key of ["waits", "called", "deleted"]) await commit(key)
      await fail("failed")
      await catalog().recordResult({ appId: "app", key: "called", result: { data: '{"a":1}' }, now: 3000 })
      await catalog().deleteFiles({ appId: "app", files: [{ fileKey: "deleted" }], now: 3000 })
      const alone = await Promise.all(keys.map((key) => catalog().get(key)))
      const found = await catalog().getMany([...keys.toReversed(), "unknown"])
      const byId = (uploads: ReadonlyArray<UploadRecord | null>) =>
        uploads.toSorted((one, other) => one!.file.id - other!.file.id)
      expect(byId(found)).toEqual(byId(alone))
      expect(await catalog().getMany([])).toEqual([])
      expect(await catalog().getMany(Array.from({ length: 1000 }, (_, index) => `unknown-${index}`))).toEqual([])
    })

    it("raises the epoch for every writer, also for a renewed grant", async () => {
      await begin("key")
      expect(await begin("key")).toMatchObject({ kind: "granted", epoch: 2, isNew: false })
      expect(await begin("key", { expires: 99_000 })).toMatchObject({ kind: "granted", epoch: 3, isNew: false })
      expect((await catalog().get("key"))?.file.expires).toBe(99_000)
      expect(await catalog().interrupt("key")).toBe(4)
    })

    it("starts anew where another file is granted under the key", async () => {
      await begin("key")
      expect(await begin("key", { size: 6 })).toMatchObject({ kind: "granted", epoch: 2, isNew: true })
      const { file } = (await catalog().get("key"))!
      expect(file).toMatchObject({ size: 6, status: "Uploading" })
      const [old, ...others] = await catalog().listReclaimable(10)
      expect([old?.key, old?.id === file.id, others]).toEqual(["key", false, []])
      await catalog().reclaimed(old!)
      expect(await catalog().listReclaimable(10)).toEqual([])
      expect(await catalog().get("key")).toMatchObject({ file: { id: file.id } })
    })

    it("gives a finished file again, and never its key to another", async () => {
      await begin("key")
      await commit("key")
      expect(await begin("key", { expires: 99_000 })).toMatchObject({
        kind: "finished",
        upload: { file: { status: "Uploaded", size: 5 } },
      })
      expect(await begin("key", { size: 6 })).toEqual({ kind: "taken" })
      expect(await begin("key", { appId: "other" })).toEqual({ kind: "taken" })
    })

    it("keeps what the blob store wants to be told when the bytes are read", async () => {
      for (const [key, blobRef] of [
        ["named", "2"],
        ["plain", null],
      ] as const) {
        await begin(key)
        expect(await commit(key, 1, { blobRef })).toMatchObject({ upload: { file: { blobRef } } })
        expect(await catalog().get(key)).toMatchObject({ file: { blobRef } })
      }
    })

    it("says that it can be written, and changes nothing by that", async () => {
      const before = await catalog().usage("app")
      await Promise.all([catalog().probe(), catalog().probe()])
      expect(await catalog().usage("app")).toEqual(before)
    })

    it("repeats a failure under the same grant, and starts anew under a new one", async () => {
      await begin("key")
      expect(await fail("key")).toBe(true)
      expect(await begin("key")).toEqual({ kind: "failed", failure })
      expect(await begin("key", { expires: 99_000 })).toMatchObject({ kind: "granted", epoch: 2, isNew: true })
      expect((await catalog().get("key"))?.file).toMatchObject({ status: "Uploading", failure: null })
      expect(await commit("key", 2)).toMatchObject({ kind: "committed" })
    })
  })

  it("a key is of the app that began it, whatever has become of the file", async () => {
    await begin("k", { appId: "theirs" })
    expect(await begin("k", { size: 6 })).toEqual({ kind: "taken" })
    await fail("k")
    expect(await begin("k", { size: 6 })).toEqual({ kind: "taken" })
    expect((await catalog().get("k"))?.file.appId).toBe("theirs")
  })

  describe("commitWhole", () => {
    it("makes an Uploaded file of nothing, and gives its bytes back", async () => {
      const committed = await commitWhole("key", { customId: "c" })
      expect(committed).toMatchObject({
        kind: "committed",
        upload: {
          file: { key: "key", status: "Uploaded", isInline: true, createdAt: 2000, uploadedAt: 2000, epoch: 1 },
          registration: null,
          delivery: null,
        },
        due: null,
      })
      if (committed.kind !== "committed") throw new Error(committed.kind)
      expect(await catalog().get("key")).toEqual(committed.upload)
      expect(await catalog().findByCustomId("app", "c")).toBeNull()
      await register(["key"])
      expect(await catalog().findByCustomId("app", "c")).toEqual(committed.upload.file)
      expect([...(await catalog().readContent(committed.upload.file.id))!]).toEqual([...content])
      expect(await begin("key")).toMatchObject({ kind: "finished" })
    })

    it("owes a registered app its callback in the same transaction, claimed for the caller", async () => {
      await register(["key"])
      const committed = await commitWhole("key")
      expect(committed).toMatchObject({
        upload: { delivery: { status: "pending", attempts: 1 } },
        due: { id: "evt_1", hook: "callback", attempt: 1, registration: { metadata: '{"userId":7}' } },
      })
      expect(await claim(3000)).toEqual([])
    })

    it("changes nothing where the key is known, whatever its state", async () => {
      await begin("uploading")
      await begin("failed")
      await fail("failed", 1, { now: 1500 })
      await commitWhole("uploaded")
      for (const key of ["uploading", "failed", "uploaded"]) {
        const before = await catalog().get(key)
        expect(await commitWhole(key)).toEqual({ kind: "refused" })
        expect(await catalog().get(key)).toEqual(before)
      }
    })

    it("gives the bytes up with the file", async () => {
      await commitWhole("key")
      const { id } = (await catalog().get("key"))!.file
      await expire({ unregistered: 9000 })
      await reclaimAll()
      expect(await catalog().get("key")).toBeNull()
      expect(await catalog().readContent(id)).toBeNull()
    })
  })

  describe("commit", () => {
    it("makes the file Uploaded", async () => {
      await begin("key")
      expect(await commit("key")).toMatchObject({
        kind: "committed",
        upload: { file: { status: "Uploaded", fileHash: "ab".repeat(32), uploadedAt: 2000 }, delivery: null },
        due: null,
      })
    })

    it("is refused for all but the newest epoch, and for what is no upload", async () => {
      await begin("key")
      await begin("key")
      expect(await commit("key", 1)).toEqual({ kind: "fenced" })
      expect(await commit("key", 3)).toEqual({ kind: "fenced" })
      expect((await catalog().get("key"))?.file.status).toBe("Uploading")
      expect(await commit("key", 2)).toMatchObject({ kind: "committed" })
      expect(await commit("key", 2)).toEqual({ kind: "fenced" })
      expect(await commit("unknown", 1)).toEqual({ kind: "fenced" })
    })

    it("owes a registered app its callback in the same transaction, claimed for the caller", async () => {
      await register(["key", "other"])
      await begin("key")
      const due = dueOf(await commit("key"))
      expect(due).toMatchObject({
        id: "evt_1",
        hook: "callback",
        attempt: 1,
        file: { key: "key", status: "Uploaded" },
        registration: {
          metadata: '{"userId":7}',
          callbackUrl,
          callbackSlug: "avatar",
          awaitServerData: true,
          isDev: false,
        },
      })
      expect(await claim(59_999)).toEqual([])
      expect(await catalog().nextDueAt(0)).toBe(60_000)
      expect(await claim(60_000)).toMatchObject([{ id: "evt_1", attempt: 2 }])
    })

    it("leaves the callback to be claimed when the caller has no hands free", async () => {
      await register(["key"])
      await begin("key")
      expect(await commit("key", 1, { claimedUntil: null })).toMatchObject({ due: null })
      expect(await claim(2000)).toMatchObject([{ id: "evt_1", attempt: 1 }])
    })
  })

  describe("register", () => {
    it("owes the callback of a file that was there first, once", async () => {
      await begin("key")
      await commit("key")
      await register(["key"])
      await register(["key"])
      expect(await claim(1500)).toMatchObject([{ hook: "callback", attempt: 1, file: { key: "key" } }])
      expect(await claim(99_000)).toHaveLength(1)
      expect((await catalog().get("key"))?.registration).toMatchObject({ callbackSlug: "avatar" })
    })

    it("is known of an unfinished file, the newest one", async () => {
      await begin("key")
      await register(["key"], { slug: "old" })
      await register(["key"], { slug: "new" })
      expect((await catalog().get("key"))?.registration).toMatchObject({ callbackSlug: "new" })
      expect(dueOf(await commit("key")).registration.callbackSlug).toBe("new")
    })

    it("owes an error event for a file that had failed, and serves the upload that takes its key", async () => {
      await begin("key")
      await fail("key")
      await register(["key"])
      expect(await claim(1500)).toMatchObject([{ hook: "error", file: { status: "Failed", failure } }])
      await begin("key", { expires: 99_000 })
      expect(dueOf(await commit("key", 2))).toMatchObject({ hook: "callback", attempt: 1 })
    })
  })

  it("owes an error event for a registered upload that fails, and keeps it when the key is taken again", async () => {
    await register(["key"], { slug: "old" })
    await begin("key")
    await fail("key", 1, { eventId: "evt_f" })
    expect(await fail("key", 1, { eventId: "evt_g" })).toBe(false)
    await register(["key"], { slug: "new" })
    await begin("key", { expires: 99_000 })
    expect(await claim(2000)).toMatchObject([
      { id: "evt_f", hook: "error", file: { failure }, registration: { callbackSlug: "old" } },
    ])
    expect(dueOf(await commit("key", 2)).registration.callbackSlug).toBe("new")
  })
}
