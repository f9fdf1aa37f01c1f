import { describe, expect, test } from "vitest"
import { type RemoteFile, SluiceApi, SluiceFile, type UploadInput } from "../../src/api.ts"
import { createIngest, createMemoryBlobStore, createMemoryCatalog } from "../../src/ingest.ts"
import { names, type PresignedUpload } from "../../src/protocol.ts"
import { createSluice, UploadError } from "../../src/server.ts"
import { type IngestUnderTest, putRaw, startIngest, token } from "../ingest/circle.ts"
import { startApp } from "./app-with-ingest.ts"

/** What no compiler has looked at: JavaScript, JSON of a file, an object that was put together somewhere else. */
const unchecked = (value: unknown) => value as never

const f = createSluice()

const refusalOf = (work: () => unknown): UploadError => {
  try {
    work()
  } catch (error) {
    if (UploadError.is(error)) return error
    throw error
  }
  throw new Error("It was taken.")
}

describe("an option that nobody would read", () => {
  test.each([
    [
      "acl of the route",
      () => f({ image: {} }, unchecked({ presignedUrlTtl: 60, acl: "private" })),
      /"acl".*f\(\{ image: \{ acl: … \} \}\)/,
    ],
    [
      "a misspelt option of the route",
      () => f({ image: {} }, unchecked({ awaitServerdata: false })),
      /"awaitServerdata".*awaitServerData/,
    ],
    [
      "a misspelt limit",
      () => f(unchecked({ image: { maxFileSise: "1GB", acl: "private" } })),
      /image.*"maxFileSise".*maxFileSize/,
    ],
    ["acl in other letters", () => f(unchecked({ image: { ACL: "private" } })), /image.*"ACL".*The nearest is acl/],
    ["acl among the kinds of files", () => f(unchecked({ image: {}, acl: "private" })), /"acl" is not a kind of file/],
    [
      "an acl that is none",
      () => f(unchecked({ image: { acl: "Private" } })),
      /image.*acl must be public-read or private/,
    ],
    ["an acl that is null", () => f(unchecked({ image: { acl: null } })), /image.*acl must be public-read or private/],
    [
      "a disposition that is none",
      () => f(unchecked({ image: { contentDisposition: "download" } })),
      /contentDisposition must be inline or attachment/,
    ],
    [
      "an option of the builder",
      () => createSluice(unchecked({ acl: "private" })),
      /createSluice.*"acl".*f\(\{ image: \{ acl: … \} \}\)/,
    ],
    [
      "an option of a SluiceFile",
      () => new SluiceFile(["x"], "x", unchecked({ ACL: "private" })),
      /SluiceFile.*"ACL".*acl/,
    ],
  ] as const)("is refused where it is written: %s", (_, work, message) => {
    const error = refusalOf(work)
    expect(error.code).toBe("INVALID_CONFIG")
    expect(error.detail).toMatch(message)
  })

  test.each([
    ["an acl", { acl: "private" }, /"acl".*The options are/],
    ["a default acl in other letters", { defaultACL: "private" }, /"defaultACL".*The nearest is defaultAcl/],
    ["a default acl that is none", { defaultAcl: "Private" }, /defaultAcl is "Private"/],
  ])("keeps an ingest from starting: %s", (_, options, message) => {
    const [store, catalog] = [createMemoryBlobStore(), createMemoryCatalog()]
    expect(() => createIngest(unchecked({ token, store, catalog, logLevel: "None", ...options }))).toThrow(message)
  })

  test("is none where it is undefined, as conditions leave it", () => {
    f(unchecked({ image: { acl: undefined, maxFileSise: undefined } }), unchecked({ acl: undefined }))
  })
})

const text = { name: "a", size: 5, type: "text/plain" }

const read = ({ url }: IngestUnderTest, key: string) => fetch(`${url}/${names.path.file}/${key}`)

describe("an app whose ingest is real", () => {
  test.each([
    ["acl", { acl: "private" }, /"acl".*f\(\{ image: \{ acl: … \} \}\)/],
    ["trustproxy", { trustproxy: true }, /"trustproxy".*The nearest is trustProxy/],
    ["config", { config: { callbackUrl: "x" } }, /"config"/],
  ])("signs nothing as long as its handler has an unknown option: %s", async (_, options, detail) => {
    const { ask } = await startApp({ a: f({ text: {} }).onUploadComplete(() => 1) }, options as object)
    const answer = await ask([text])
    expect([answer.status, await answer.json()]).toEqual([
      500,
      expect.objectContaining({ code: "INVALID_CONFIG", detail: expect.stringMatching(detail) }),
    ])
  })

  test.each([
    ["access", { name: "x", access: "private" }, /"access".*The options are name, customId, keySeed, acl/],
    ["Acl", { Acl: "private" }, /"Acl".*The nearest is acl/],
    ["an acl that is none", { acl: "Private" }, /acl must be public-read or private/],
    ["a limit", { maxFileSize: 7 }, /"maxFileSize".*f\(\{ image: \{ maxFileSize: … \} \}\)/],
  ])("signs nothing where .file() decides what nobody reads: %s", async (_, decision, detail) => {
    const router = {
      a: f({ text: {} })
        .file(() => unchecked(decision))
        .onUploadComplete(() => 1),
    }
    const { ask, posted } = await startApp(router)
    const answer = await ask([text])
    expect([answer.status, await answer.json()]).toEqual([
      500,
      expect.objectContaining({ code: "INVALID_CONFIG", detail: expect.stringMatching(detail) }),
    ])
    expect(posted).toEqual([])
  })

  test("keeps a file private where .file() says so, though its route is public, and the other way round", async () => {
    const router = {
      a: f({ text: { acl: "public-read" }, image: { acl: "private", contentDisposition: "attachment" } })
        .file(({ file }) =>
          file.type === "text/plain"
            ? { acl: "private", contentDisposition: "attachment" }
            : { acl: "public-read", contentDisposition: "inline" },
        )
        .onUploadComplete(() => 1),
    }
    const { ask, ingest } = await startApp(router)
    const upload = async (type: string) => {
      const [{ key, url }] = (await (await ask([{ ...text, type }])).json()) as [PresignedUpload]
      expect((await putRaw(url, "hello")).status).toBe(200)
      const answer = await read(ingest, key)
      return [answer.status, answer.headers.get("content-disposition")?.split(";")[0]]
    }
    expect(await upload("text/plain")).toEqual([403, undefined])
    expect(await upload("image/x-other")).toEqual([200, "inline"])
  })

  test("uploads nothing from the server by options or descriptions that nobody reads", async () => {
    const ingest = await startIngest()
    const api = new SluiceApi({ token, ingestUrl: ingest.url, logLevel: "None" })
    const file = new File(["hello"], "a.txt")
    const refused = { code: "INVALID_CONFIG", message: expect.stringMatching(/"ACL".*acl/) }
    await expect(api.uploadFiles(file, unchecked({ ACL: "private" }))).rejects.toMatchObject(refused)
    await expect(api.uploadFilesFromUrl("http://127.0.0.1:9/", unchecked({ ACL: "private" }))).rejects.toMatchObject(
      refused,
    )
    const stream = () => new Blob(["hello"]).stream()
    const described = [
      { path: import.meta.filename, ACL: "private" },
      { stream, size: 5, name: "a", ACL: "private" },
    ]
    for (const { error } of await api.uploadFiles(described as ReadonlyArray<UploadInput>))
      expect(error).toMatchObject(refused)
    const remotes = [{ url: "http://127.0.0.1:9/", ACL: "private" }]
    const [remote] = await api.uploadFilesFromUrl(remotes as ReadonlyArray<RemoteFile>)
    expect(remote!.error).toMatchObject(refused)
    expect((await api.listFiles()).files).toEqual([])
    const broken = new SluiceApi(unchecked({ token, ingestUrl: ingest.url, acl: "private" }))
    await expect(broken.uploadFiles(file)).rejects.toMatchObject({ message: expect.stringMatching(/"acl"/) })
  })

  test("gives no signed URL a longer life, and deletes nothing, by an option that nobody reads", async () => {
    const ingest = await startIngest()
    const api = new SluiceApi({ token, ingestUrl: ingest.url, logLevel: "None" })
    const refused = { code: "INVALID_CONFIG" }
    for (const call of [
      () => api.generateSignedURL("x", unchecked({ expires: 60 })),
      () => api.getSignedURL("x", unchecked({ expires: 60 })),
      () => api.deleteFiles("x", unchecked({ keytype: "customId" })),
      () => api.renameFiles([], unchecked({ keytype: "customId" })),
      () => api.updateACL("x", "private", unchecked({ keytype: "customId" })),
      () => api.listFiles(unchecked({ state: "Uploaded" })),
      () => api.getUsageInfo(unchecked({ state: "Uploaded" })),
    ]) {
      await expect(call()).rejects.toMatchObject(refused)
    }
  })
})
