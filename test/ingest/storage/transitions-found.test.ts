import { describe, expect, it } from "vitest"
import { driveLabels } from "../../../src/conformance/catalog/drive-labels.ts"
import { grantOf } from "../../../src/conformance/catalog/drive-catalog.ts"
import type { Catalog } from "../../../src/ingest.ts"
import { catalogs } from "../circle.ts"
import { registration } from "./transitions/given.ts"

/** What `transitions.test.ts` has found, in the fewest steps. */
describe.each(catalogs)("a catalog (%s)", (_, create) => {
  const start = () => {
    const catalog: Catalog = create()
    return { catalog, ...driveLabels(() => catalog) }
  }

  it("closes a deleted key again when it is deleted again, whether its bytes are gone or not", async () => {
    const { catalog, commitWhole } = start()
    const remove = (now: number) => catalog.deleteFiles({ appId: "app", files: [{ fileKey: "key" }], now })
    await commitWhole("key", {}, {}, 1000)
    expect(await remove(2000)).toEqual(["key"])
    await catalog.register({
      ...registration,
      appId: "app",
      id: "x",
      fileKeys: ["key"],
      now: 3000,
      createEventId: String,
    })
    expect(await remove(4000)).toEqual([])
    const grant = grantOf("key", { registrationId: "x", issuedAt: 3000, expires: 90_000 })
    expect(await catalog.begin({ grant, origin: "http://ingest.example", now: 5000 })).toEqual({ kind: "deleted" })
    for (const file of await catalog.listReclaimable(10)) await catalog.reclaimed(file)
    expect(await catalog.findRegistration({ appId: "app", key: "key", id: "x" })).toBeNull()
    expect(await catalog.usage("app")).toMatchObject({ expectedFiles: 0, expectedBytes: 0 })
  })

  it("deletes another app's key for nobody else, though its file is being deleted", async () => {
    const { catalog, commitWhole } = start()
    await commitWhole("key", {}, {}, 1000)
    const remove = (appId: string) => catalog.deleteFiles({ appId, files: [{ fileKey: "key" }], now: 2000 })
    await remove("app")
    expect(await remove("other")).toEqual([])
    expect(await catalog.findTombstone("other", "key")).toBeNull()
  })

  it("replaces a file once, however often a claim names it", async () => {
    const { catalog, commitWhole } = start()
    await commitWhole("old", {}, { customId: "avatar" })
    await commitWhole("new", { claimWithin: 500 })
    const replaces = [{ fileKey: "old" }, { customId: "avatar" }]
    const claimed = await catalog.claimFiles({ appId: "app", keys: ["new"], replaces, now: 2100 })
    expect(claimed).toEqual({ kind: "claimed", replaced: ["old"] })
    expect((await catalog.get("old"))?.file.epoch).toBe(2)
  })

  it("begins no upload of an owner who was deleted, though the key has an upload of another", async () => {
    const { catalog, begin } = start()
    await begin("key", { owner: "v" }, { issuedAt: 900, registrationId: "x" }, 1000)
    await catalog.deleteMatching({ appId: "app", selection: { owner: "u" }, now: 2000, limit: 10 })
    const again = (issuedAt: number) => begin("key", { owner: "u" }, { issuedAt, registrationId: "y" }, 3000)
    expect(await again(1900)).toEqual({ kind: "deleted" })
    expect(await again(2100)).toMatchObject({ kind: "granted", isNew: true })
  })

  it("finds the older file with a custom id once the time of the newer one has passed, before any sweep", async () => {
    const { catalog, commitWhole } = start()
    await commitWhole("old", {}, { customId: "banner" })
    await commitWhole("new", { keepFor: 100 }, { customId: "banner" })
    const find = async (now?: number) => (await catalog.findByCustomId("app", "banner", "readable", now))?.key
    expect([await find(2099), await find(2100), await find()]).toEqual(["new", "old", "new"])
  })
})
