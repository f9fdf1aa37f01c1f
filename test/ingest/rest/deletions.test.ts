import { join } from "node:path"
import { describe, expect, it, onTestFinished } from "vitest"
import { SluiceApi } from "../../../src/api.ts"
import { createSqliteCatalog } from "../../../src/ingest.ts"
import { createSealer } from "../../../src/protocol/signing/seal.ts"
import { limits } from "../../../src/protocol/limits.ts"
import { makeFolder } from "../../make-folder.ts"
import { fill } from "./fill.ts"
import { apiKey, appId, catalogs, createGrant, eventually, putRaw, sign, startIngest, token } from "../circle.ts"

describe.each(catalogs)("deleteFiles by owner or prefix (%s)", (_, create) => {
  const start = async (catalog = create()) => {
    const ingest = await startIngest({ catalog, defaultAcl: "public-read" })
    return { ingest, catalog, api: new SluiceApi({ token, ingestUrl: ingest.url }) }
  }
  const readAll = async (url: string, keys: ReadonlyArray<string>) =>
    new Set(await Promise.all(keys.map(async (key) => (await fetch(`${url}/f/${key}`, { method: "HEAD" })).status)))

  it("is in force for 1,300 files at once, goes on by itself, and leaves the files of others", async () => {
    const { ingest, catalog, api } = await start()
    const keys = await fill(catalog, 1300, { owner: "u" })
    const [other] = await fill(catalog, 1, { owner: "v" })
    const deleted = await api.deleteFiles({ owner: "u" })
    expect(await readAll(ingest.url, [keys[0]!, keys[650]!, keys[1299]!])).toEqual(new Set([404]))
    expect((await api.listFiles({ owner: "u", status: "Uploaded" })).files).toEqual([])
    expect(deleted.deletedCount).toBeGreaterThanOrEqual(500)
    const done = async () => {
      const [deletion] = await api.listDeletions()
      return deletion!.doneAt !== null && deletion
    }
    await eventually(async () => (await done()) !== false)
    expect(await done()).toMatchObject({ id: deleted.deletionId, owner: "u", prefix: null, deletedCount: 1300 })
    await eventually(async () => (await catalog.list({ appId, limit: 1000 })).length === 1)
    expect(await api.getUsageInfo({ owner: "u" })).toMatchObject({ totalBytes: 0, filesUploaded: 0 })
    expect(await readAll(ingest.url, [other!])).toEqual(new Set([200]))
  })

  it("keeps an upload from beginning whose URL was issued before, and none that was issued later", async () => {
    const { ingest, api } = await start()
    const labelled = async (issuedAt: number) => {
      const grant = createGrant({ issuedAt })
      const context = { appId: grant.appId, fileKey: grant.key }
      return { ...grant, labels: await createSealer(apiKey).seal(JSON.stringify({ owner: "u" }), context) }
    }
    const [early, late] = [await labelled(Date.now()), await labelled(Date.now() + 5000)]
    expect(await api.deleteFiles({ owner: "u" })).toMatchObject({ deletedCount: 0, isDone: true })
    const refused = await putRaw(await sign(ingest.url, early), "hello")
    expect([refused.status, (await refused.json()).code]).toEqual([404, "NOT_FOUND"])
    expect((await putRaw(await sign(ingest.url, late), "hello")).status).toBe(200)
  })

  it("deletes nothing where it is not said which files, or twice", async () => {
    const { ingest, catalog, api } = await start()
    await fill(catalog, 1, { owner: "u", path: "a/b" })
    const call = async (body: object) => {
      const headers = { "x-sluice-api-key": apiKey, "content-type": "application/json" }
      const init = { method: "POST", headers, body: JSON.stringify(body) }
      return (await fetch(`${ingest.url}/v6/deleteFiles`, init)).status
    }
    for (const body of [
      {},
      { owner: "" },
      { prefix: "" },
      { owner: null },
      { owner: "u", fileKeys: ["a"], customIds: ["a"] },
      { prefix: "a", owner: "u", fileKeys: ["a"] },
      { prefix: "a", customIds: ["a"] },
      { owner: ["u"] },
      { prefix: "a".repeat(limits.storedPath + 1) },
    ]) {
      expect(await call(body), JSON.stringify(body)).toBe(400)
    }
    const withoutOwner: { owner: string } = JSON.parse("{}")
    await expect(api.deleteFiles({ prefix: "a/", owner: withoutOwner.owner })).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      message: "What deleteFiles deletes: owner is undefined. Leave it out where everybody's files are meant.",
    })
    const { owner } = withoutOwner
    await expect(async () => api.claimFiles("key", { slug: owner })).rejects.toThrow(
      "slug is undefined. Leave it out where files of every route are meant.",
    )
    for (const call of [
      () => api.claimFiles("key", { owner }),
      () => api.getUsageInfo({ owner }),
      async () => api.listFiles({ owner }),
      async () => api.listFiles({ owner: "u", prefix: owner }),
    ]) {
      await expect(call()).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        message: expect.stringContaining("undefined"),
      })
    }
    await expect(api.deleteFiles({ owners: "u" } as never)).rejects.toMatchObject({ code: "INVALID_CONFIG" })
    expect((await catalog.list({ appId, limit: 10 })).map(({ status }) => status)).toEqual(["Uploaded"])
  })
})

it("goes on after a crash where it was, and nobody reads a file meanwhile", async () => {
  const file = join(await makeFolder(), "catalog.db")
  const first = createSqliteCatalog({ file })
  const keys = await fill(first, 1200, { path: "p/a" })
  const deleted = await first.deleteMatching({ appId, selection: { prefix: "p/" }, limit: 100, now: Date.now() })
  expect(deleted).toMatchObject({ kind: "deleted", deletion: { doneAt: null, deletedCount: 100 } })
  await first.close()
  const catalog = createSqliteCatalog({ file })
  onTestFinished(catalog.close)
  for (const key of [keys[0]!, keys[1199]!]) expect((await catalog.get(key))!.file.status).toBe("Deleting")
  const { url } = await startIngest({ catalog, defaultAcl: "public-read" })
  const api = new SluiceApi({ token, ingestUrl: url })
  await eventually(async () => (await catalog.list({ appId, limit: 1000 })).length === 0)
  expect(await api.listDeletions()).toMatchObject([{ prefix: "p/", deletedCount: 1200 }])
  expect(await api.getUsageInfo()).toMatchObject({ filesUploaded: 0 })
})

it("is refused while a hundred others of the app are under way, and changes nothing then", async () => {
  const catalog = createSqliteCatalog({ file: ":memory:" })
  onTestFinished(catalog.close)
  await fill(catalog, 1, { owner: "u", path: "p/a" })
  const ask = (appId: string, prefix: string) =>
    catalog.deleteMatching({ appId, selection: { prefix }, limit: 0, now: Date.now() })
  for (let i = 0; i < limits.openDeletions; i++) expect((await ask(appId, `q${i}/`)).kind).toBe("deleted")
  expect(await ask(appId, "p/")).toEqual({ kind: "tooMany" })
  expect((await ask("other", "p/")).kind).toBe("deleted")
  expect(await catalog.listDeletions(appId, 1000)).toHaveLength(limits.openDeletions)
})
