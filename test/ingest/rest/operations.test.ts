import { describe, expect, it } from "vitest"
import { createGrant, offsetOf, putRaw, sign, startIngest } from "../circle.ts"
import { labelled } from "../labelled.ts"
import { answerOf, call, codeOf, store } from "./rest-app.ts"

const list = async (url: string, body: object = {}) => answerOf(await call(url, "listFiles", body))
const keysOf = ({ files }: { files: ReadonlyArray<{ key: string }> }) => files.map(({ key }) => key)

describe("listFiles", () => {
  it("gives all there is to know of a file, with the ACL that applies", async () => {
    const ingest = await startIngest({ defaultAcl: "private" })
    const key = await store(ingest, { customId: "mine", name: "ü 1.txt" })
    const open = await store(ingest, { acl: "public-read" })
    const under = createGrant({ size: 9 })
    expect((await putRaw(await sign(ingest.url, under), "hel")).status).toBe(409)
    const page = await list(ingest.url)
    expect(page).toMatchObject({ hasMore: false, nextCursor: null })
    expect(page.files).toEqual([
      {
        id: expect.stringMatching(/^\d+$/),
        key: under.key,
        customId: null,
        name: "hello.txt",
        size: 9,
        type: "text/plain",
        status: "Uploading",
        acl: "private",
        uploadedAt: null,
        owner: null,
        path: null,
        expiresAt: null,
        claimBy: null,
        error: null,
      },
      expect.objectContaining({ key: open, acl: "public-read" }),
      expect.objectContaining({
        key,
        customId: "mine",
        name: "ü 1.txt",
        size: 5,
        status: "Uploaded",
        acl: "private",
        uploadedAt: expect.any(Number),
      }),
    ])
  })

  it("goes from page to page, newest first, while files come and go", async () => {
    const ingest = await startIngest()
    const keys: Array<string> = []
    for (let i = 0; i < 7; i++) keys.unshift(await store(ingest))
    const first = await list(ingest.url, { limit: 3 })
    expect(keysOf(first)).toEqual(keys.slice(0, 3))
    expect(first.hasMore).toBe(true)
    await store(ingest)
    await answerOf(await call(ingest.url, "deleteFiles", { fileKeys: [keys[0], keys[4]] }))
    const second = await list(ingest.url, { limit: 3, cursor: first.nextCursor, status: "Uploaded" })
    expect(keysOf(second)).toEqual([keys[3], keys[5], keys[6]])
    expect(second).toMatchObject({ hasMore: false, nextCursor: null })
    expect(keysOf(await list(ingest.url, { limit: 1, offset: 5, status: "Uploaded" }))).toEqual([keys[6]])
    expect(keysOf(await list(ingest.url, { cursor: "1" }))).toEqual([])
  })

  it("takes a request without a body for one that asks for nothing in particular", async () => {
    const ingest = await startIngest()
    const key = await store(ingest)
    const response = await fetch(`${ingest.url}/v6/listFiles`, {
      method: "POST",
      headers: { "x-sluice-api-key": "sk_test_0123456789abcdef" },
    })
    expect(keysOf(await answerOf(response))).toEqual([key])
  })
})

describe("renameFiles", () => {
  it("changes what a file is called when it is downloaded; the upload's own PUT still finds it", async () => {
    const ingest = await startIngest()
    const grant = createGrant({ customId: "mine" })
    const signed = await sign(ingest.url, grant)
    await putRaw(signed, "hello")
    const updates = [
      { fileKey: grant.key, newName: "x.txt" },
      { customId: "mine", newName: 'new "name" ü.txt' },
      { fileKey: createGrant().key, newName: "none.txt" },
    ]
    expect(await answerOf(await call(ingest.url, "renameFiles", { updates }))).toEqual({
      success: true,
      renamedCount: 2,
    })
    const disposition = (await fetch(`${ingest.url}/f/${grant.key}`)).headers.get("content-disposition")
    expect(decodeURIComponent(disposition!)).toContain("ü.txt")
    expect(await offsetOf(signed)).toBe(5)
    expect((await putRaw(signed, null, 5)).status).toBe(200)
  })
})

describe("updateACL", () => {
  it("closes a file to the public, and opens it again", async () => {
    const ingest = await startIngest()
    const key = await store(ingest)
    const set = async (acl: string) =>
      answerOf(await call(ingest.url, "updateACL", { updates: [{ fileKey: key, acl }] }))
    const read = async () => (await fetch(`${ingest.url}/f/${key}`)).status
    expect(await set("private")).toEqual({ success: true, updatedCount: 1 })
    expect(await read()).toBe(403)
    await set("public-read")
    expect(await read()).toBe(200)
  })
})

describe("getUsageInfo", () => {
  it("counts what is stored, and says the quota", async () => {
    const ingest = await startIngest({ quota: 100 })
    const usage = async () => answerOf(await call(ingest.url, "getUsageInfo", {}))
    expect(await usage()).toEqual({ totalBytes: 0, filesUploaded: 0, announcedBytes: 0, limitBytes: 100 })
    const key = await store(ingest)
    await store(ingest, { size: 6 })
    expect(await usage()).toEqual({ totalBytes: 11, filesUploaded: 2, announcedBytes: 0, limitBytes: 100 })
    await call(ingest.url, "deleteFiles", { fileKeys: [key] })
    expect(await usage()).toEqual({ totalBytes: 6, filesUploaded: 1, announcedBytes: 0, limitBytes: 100 })
  })

  it("knows no limit where there is none", async () => {
    const { url } = await startIngest()
    expect(await answerOf(await call(url, "getUsageInfo", {}))).toMatchObject({ limitBytes: null })
  })
})

describe("requestFileAccess", () => {
  it("gives a URL that reads a private file, as it was issued and as long as it said", async () => {
    const ingest = await startIngest()
    const key = await store(ingest, { acl: "private", customId: "mine" })
    const { url } = await answerOf(await call(ingest.url, "requestFileAccess", { customId: "mine" }))
    expect(url.startsWith(`${ingest.url}/f/${key}?expires=`)).toBe(true)
    expect(await (await fetch(url)).text()).toBe("hello")
    expect(await codeOf(await fetch(`${ingest.url}/f/${key}`))).toBe("403 FORBIDDEN")
    const another = await store(ingest, { acl: "private" })
    const changed = [url.replace(/expires=\d/, "expires=9"), url.replace(key, another), `${url.slice(0, -1)}g`]
    for (const tampered of changed) expect(await codeOf(await fetch(tampered))).toBe("403 FORBIDDEN")
    const expires = Number(new URL(url).searchParams.get("expires"))
    expect(Math.abs(expires - Date.now() - 3_600_000)).toBeLessThan(60_000)
  })

  it.each([
    [true, /^attachment; filename=(?!Plan)/],
    ["Plan.txt", /^attachment; filename=Plan\.txt$/],
    [false, /^inline/],
  ] as const)("gives a URL by which browsers save the file: download %s", async (download, offered) => {
    const ingest = await startIngest()
    const key = await store(ingest, { acl: "private" })
    const { url } = await answerOf(await call(ingest.url, "requestFileAccess", { fileKey: key, download }))
    const response = await fetch(url)
    expect(await response.text()).toBe("hello")
    expect(response.headers.get("content-disposition")).toMatch(offered)
  })

  it("gives a URL that ends", async () => {
    const ingest = await startIngest()
    const key = await store(ingest, { acl: "private" })
    const { url } = await answerOf(await call(ingest.url, "requestFileAccess", { fileKey: key, expiresIn: 1 }))
    await new Promise((resolve) => setTimeout(resolve, Number(new URL(url).searchParams.get("expires")) - Date.now()))
    expect(await codeOf(await fetch(url))).toBe("403 EXPIRED_URL")
  })

  it("finds the newest file of a custom id that is there, and nothing else", async () => {
    const ingest = await startIngest()
    await store(ingest, { customId: "mine" })
    const newest = await store(ingest, { customId: "mine" })
    await putRaw(await sign(ingest.url, createGrant({ customId: "mine" })), "hel")
    const ask = (body: object) => call(ingest.url, "requestFileAccess", body)
    expect((await answerOf(await ask({ customId: "mine" }))).url).toContain(newest)
    await call(ingest.url, "deleteFiles", { fileKeys: [newest] })
    expect(await codeOf(await ask({ fileKey: newest }))).toBe("404 NOT_FOUND")
    expect(await codeOf(await ask({ customId: "yours" }))).toBe("404 NOT_FOUND")
  })

  it("signs below the public URL, which may have a path", async () => {
    const ingest = await startIngest()
    const behind = await startIngest({
      url: "https://files.example.com/base",
      store: ingest.store,
      catalog: ingest.catalog,
    })
    const key = await store(ingest)
    const { url } = await answerOf(await call(`${behind.url}/base`, "requestFileAccess", { fileKey: key }))
    expect(url.startsWith(`https://files.example.com/base/f/${key}?`)).toBe(true)
    const cutOff = url.replace("https://files.example.com/base", behind.url)
    await call(behind.url, "updateACL", { updates: [{ fileKey: key, acl: "private" }] })
    expect((await fetch(cutOff)).status).toBe(200)
  })
})

describe("a member that is not known", () => {
  it.each([
    ["deleteFiles", { owner: "user-7", prefixx: "a/" }, "prefixx is not known here."],
    ["claimFiles", { fileKeys: ["a"], slugs: "avatar" }, "slugs is not known here."],
    ["requestFileAccess", { fileKey: "a", downlod: true }, "downlod is not known here."],
    ["updateACL", { updates: [{ fileKey: "a", acl: "private", x: 1 }] }, "updates[0].x is not known here."],
    ["listFiles", { a: 1, b: 2 }, "a is not known here. b is not known here."],
  ])("of %s is refused by name, and nothing is done: %j", async (operation, body, detail) => {
    const ingest = await startIngest()
    const grant = await labelled({ owner: "user-7", path: "b/c.txt" })
    expect((await putRaw(await sign(ingest.url, grant), "hello")).status).toBe(200)
    const response = await call(ingest.url, operation, body)
    expect([response.status, await response.json()]).toEqual([400, expect.objectContaining({ detail })])
    expect(keysOf(await list(ingest.url, { status: "Uploaded" }))).toEqual([grant.key])
  })
})
