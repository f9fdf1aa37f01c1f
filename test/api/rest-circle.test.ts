import { describe, expect, test } from "vitest"
import { type ListedFile, SluiceApi, SluiceFile, type UploadError } from "../../src/api.ts"
import { encodeToken } from "../../src/protocol.ts"
import { apiKey, appId, encodedAppId, putRaw, register, sign, startIngest, token } from "../ingest/circle.ts"
import { labelled } from "../ingest/labelled.ts"

const start = async () => {
  const ingest = await startIngest({ defaultAcl: "private" })
  const api = new SluiceApi({ token, ingestUrl: ingest.url })
  const store = async (...files: ReadonlyArray<File>) =>
    (await api.uploadFiles(files)).map(({ data, error }) => {
      if (error !== null) throw error
      return data
    })
  return { ingest, api, store }
}

const guardedBy = (owner: string) => ({ owner })

const all = async (listing: AsyncIterable<ListedFile>): Promise<Array<ListedFile>> => {
  const files: Array<ListedFile> = []
  for await (const file of listing) files.push(file)
  return files
}

const text = async (url: string): Promise<string> => {
  const response = await fetch(url)
  return response.ok ? response.text() : String(response.status)
}

describe("the API and the ingest's REST API", () => {
  test("list what was uploaded, newest first, over pages of any size", async () => {
    const { api, store } = await start()
    expect(await api.listFiles()).toEqual({ hasMore: false, nextCursor: null, files: [] })
    const stored: Array<string> = []
    for (let i = 0; i < 5; i++) {
      const [file] = await store(new SluiceFile([`${i}`], `${i}.txt`, { customId: `id-${i}` }))
      stored.unshift(file!.key)
    }
    expect((await all(api.listFiles())).map(({ key }) => key)).toEqual(stored)
    expect((await all(api.listFiles({ limit: 2 }))).map(({ key }) => key)).toEqual(stored)
    expect((await all(api.listFiles({ limit: 2, offset: 1 }))).map(({ key }) => key)).toEqual(stored.slice(1))
    const page = await api.listFiles({ limit: 1 })
    expect(page).toMatchObject({
      hasMore: true,
      files: [{ key: stored[0], customId: "id-4", name: "4.txt", size: 1, status: "Uploaded", acl: "private" }],
    })
    expect(await all(api.listFiles({ cursor: page.nextCursor! }))).toHaveLength(4)
    expect(await all(api.listFiles({ status: "Failed" }))).toEqual([])
  })

  test("delete by key and by custom id, and count what there was", async () => {
    const { api, store } = await start()
    const [a, b, c] = await store(
      new File(["a"], "a"),
      new SluiceFile(["b"], "b", { customId: "same" }),
      new SluiceFile(["c"], "c", { customId: "same" }),
    )
    expect(await api.deleteFiles([a!.key, `${encodedAppId}nothing`])).toEqual({
      success: true,
      deletedCount: 1,
      deletedKeys: [a!.key],
    })
    expect(await api.deleteFiles(a!.key)).toEqual({ success: true, deletedCount: 0, deletedKeys: [] })
    expect(await api.deleteFiles("same", { keyType: "customId" })).toMatchObject({ success: true })
    for (const file of [a, b, c]) {
      expect(await text(await api.generateSignedURL(file!.key))).toBe("404")
    }
    expect(await all(api.listFiles({ status: "Uploaded" }))).toEqual([])
  })

  test("claim what the fields of a form have sent, each by its own route: all of it or nothing", async () => {
    const { ingest, api } = await start()
    const store = async (slug: string) => {
      const grant = await labelled({ owner: "user-7", claimWithin: 3_600_000 }, { slug })
      await register(ingest.url, { fileKeys: [grant.key], callbackSlug: slug, awaitServerData: false })
      expect((await putRaw(await sign(ingest.url, grant), "hello")).status).toBe(200)
      return grant.key
    }
    const [photo, other, report] = [await store("photos"), await store("photos"), await store("report")]
    const missingOf = (routes: Record<string, string | Array<string>>, owner = "user-7") =>
      api.claimFiles(routes, { owner }).catch((error: UploadError) => (error.data as { missing?: unknown }).missing)
    expect(await missingOf({ photos: [photo, report], report: other })).toEqual([report, other])
    expect(await missingOf({ photos: photo, report }, "user-8")).toEqual([photo, report])
    expect((await api.listFiles({ status: "Pending" })).files).toHaveLength(3)
    const claimed = await api.claimFiles({ photos: [photo], report, scans: [] }, { owner: "user-7", replaces: other })
    expect(claimed).toEqual({ success: true, claimedCount: 2, replacedCount: 1 })
    expect((await api.listFiles({ status: "Uploaded" })).files).toHaveLength(2)
    expect(await api.claimFiles({ photos: [] })).toMatchObject({ claimedCount: 0 })
    for (const refused of [
      api.claimFiles({ photos: photo }, { slug: "photos" }),
      api.claimFiles({ photos: undefined } as never),
    ]) {
      await expect(refused).rejects.toMatchObject({ code: "INVALID_CONFIG" })
    }
    await expect(api.claimFiles({ photos: photo, report: photo })).rejects.toMatchObject({ code: "BAD_REQUEST" })
  })

  test("rename", async () => {
    const { api, store } = await start()
    const [a] = await store(new SluiceFile(["a"], "a.txt", { customId: "7" }))
    const update = { fileKey: a!.key, newName: "ä b.txt" }
    expect(await api.renameFiles(update)).toEqual({ success: true, renamedCount: 1 })
    const response = await fetch(await api.generateSignedURL(a!.key))
    expect(response.headers.get("content-disposition")).toContain("%C3%A4%20b.txt")
    await api.renameFiles({ customId: "7", newName: "b.txt" })
    expect((await api.listFiles()).files[0]?.name).toBe("b.txt")
  })

  test("open a file to everybody, and close it again", async () => {
    const { api, store } = await start()
    const [a] = await store(new File(["a"], "a"))
    expect(await text(a!.url)).toBe("403")
    expect(await api.updateACL(a!.key, "public-read")).toEqual({ success: true, updatedCount: 1 })
    expect(await text(a!.url)).toBe("a")
    await api.updateACL([a!.key], "private")
    expect(await text(a!.url)).toBe("403")
  })

  test("leave the files of others alone where an owner is named", async () => {
    const { api, store } = await start()
    const [mine, hers] = await store(
      Object.assign(new SluiceFile(["a"], "mine.txt", { customId: "mine" }), { labels: { owner: "user-7" } }),
      Object.assign(new SluiceFile(["b"], "hers.txt", { customId: "hers" }), { labels: { owner: "user-8" } }),
    )
    const keys = [mine!.key, hers!.key]
    const guard = { owner: "user-7" }
    expect((await api.getFiles([...keys, "none", mine!.key])).map(({ name }) => name)).toEqual(["mine.txt", "hers.txt"])
    expect(await api.getFiles(keys, guard)).toMatchObject([{ key: mine!.key, owner: "user-7", error: null }])
    expect(await api.getFiles(hers!.key, guard)).toEqual([])
    const renames = keys.map((key) => ({ key, newName: "new.txt" }))
    expect(await api.renameFiles(renames, guard)).toMatchObject({ renamedCount: 1 })
    const moves = keys.map((key) => ({ key, path: "a/new.txt" }))
    expect(await api.moveFiles(moves, guard)).toMatchObject({ movedCount: 1 })
    expect(await api.updateACL(keys, "public-read", guard)).toMatchObject({ updatedCount: 1 })
    expect(await api.updateFiles(keys, { expiresIn: "1 day", ...guard })).toMatchObject({ updatedCount: 1 })
    expect(await api.deleteFiles("hers", { keyType: "customId", ...guard })).toMatchObject({ deletedCount: 0 })
    for (const [key, keyType] of [
      [hers!.key, "fileKey"],
      ["hers", "customId"],
    ] as const) {
      await expect(api.getSignedURL(key, { keyType, ...guard })).rejects.toMatchObject({ code: "NOT_FOUND" })
    }
    expect(await text(await api.getSignedURL("mine", { keyType: "customId", ...guard }))).toBe("a")
    expect(await api.getFiles(hers!.key)).toMatchObject([
      { name: "hers.txt", path: null, acl: "private", expiresAt: null, status: "Uploaded" },
    ])
    expect(await api.deleteFiles(keys, guard)).toMatchObject({ deletedKeys: [mine!.key] })
    expect(await text(await api.getSignedURL(hers!.key, { owner: "user-8" }))).toBe("b")
  })

  test("refuse an owner that was lost on the way, before anything is asked", async () => {
    const api = new SluiceApi({ token, ingestUrl: "http://127.0.0.1:9" })
    const lost = { owner: undefined }
    const calls: ReadonlyArray<readonly [string, () => Promise<unknown>]> = [
      ["getFiles", () => api.getFiles("key", lost)],
      ["describeFiles", () => api.describeFiles("key", lost)],
      ["deleteFiles", () => api.deleteFiles("key", lost)],
      ["renameFiles", () => api.renameFiles({ key: "key", newName: "a" }, lost)],
      ["moveFiles", () => api.moveFiles({ key: "key", path: null }, lost)],
      ["updateFiles", () => api.updateFiles("key", { expiresIn: null, ...lost })],
      ["updateACL", () => api.updateACL("key", "private", lost)],
      ["getSignedURL", () => api.getSignedURL("key", lost)],
    ]
    for (const [method, act] of calls) {
      await expect(act(), method).rejects.toMatchObject({
        code: "INVALID_CONFIG",
        message: `The options of ${method}: owner is undefined. Leave it out where everybody's files are meant.`,
      })
    }
    const signed: { keyType: "fileKey" } = { ...guardedBy("user-7"), keyType: "fileKey" }
    await expect(api.generateSignedURL("key", signed)).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      message: expect.stringContaining('no option "owner"'),
    })
  })

  test("tell what is used", async () => {
    const { api, store } = await start()
    expect(await api.getUsageInfo()).toEqual({ totalBytes: 0, filesUploaded: 0, announcedBytes: 0, limitBytes: null })
    await store(new File(["hello"], "a"), new File(["you"], "b"))
    expect(await api.getUsageInfo()).toMatchObject({ totalBytes: 8, filesUploaded: 2 })
  })

  test("sign a URL for a file there is, and say of others that there is none", async () => {
    const { api, store } = await start()
    const [a] = await store(new SluiceFile(["a"], "a", { customId: "7" }))
    expect(await text(await api.getSignedURL(a!.key))).toBe("a")
    expect(await text(await api.getSignedURL("7", { keyType: "customId", expiresIn: "7 days" }))).toBe("a")
    await expect(api.getSignedURL(`${encodedAppId}nothing`)).rejects.toMatchObject({ code: "NOT_FOUND" })
  })

  test("refuse another key, with the ingest's own words", async () => {
    const { ingest } = await start()
    const stranger = encodeToken({ apiKey: `${apiKey}x`, appId, regions: ["local"] })
    const api = new SluiceApi({ token: stranger, ingestUrl: ingest.url })
    await expect(api.getUsageInfo()).rejects.toMatchObject({ code: "UNAUTHORIZED", status: 401 })
    const { error } = await api.uploadFiles(new File(["x"], "x"))
    expect(error).toMatchObject({ code: "INVALID_SIGNATURE" })
  })

  test("say what is wrong with a request", async () => {
    const { api } = await start()
    await expect(api.listFiles({ limit: 0 })).rejects.toMatchObject({ code: "BAD_REQUEST" })
    const nameless = api.renameFiles({ fileKey: `${encodedAppId}a`, newName: "" })
    await expect(nameless).rejects.toMatchObject({ code: "BAD_REQUEST", detail: expect.stringContaining("newName") })
  })

  test("move a thousand and one files", async () => {
    const { api } = await start()
    const files = Array.from({ length: 1001 }, (_, i) => new File([`${i}`], `${i}`))
    const results = await api.uploadFiles(files, { concurrency: 50 })
    const keys = results.map(({ data }) => data!.key)
    expect(await api.updateACL(keys, "public-read")).toEqual({ success: true, updatedCount: 1001 })
    expect(await all(api.listFiles({ limit: 300 }))).toHaveLength(1001)
    const { deletedKeys, ...deleted } = await api.deleteFiles(keys)
    expect(deleted).toEqual({ success: true, deletedCount: 1001 })
    expect(new Set(deletedKeys)).toEqual(new Set(keys))
  })
})
