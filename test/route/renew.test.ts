import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { z } from "zod"
import { createSigner, signUploadUrl, type UploadGrant } from "../../src/protocol.ts"
import { createSluice, UploadError } from "../../src/server.ts"
import { apiKey, appId, createToken, encodedAppId, ingestUrl } from "./app-token.ts"
import { grantOf, handlerOf, png, presigned, refused, renewRequest, toRequest, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { json, useMockIngest } from "./mock-ingest.ts"

const ingest = useMockIngest()
useConsoleLines()

const issuedAt = Date.UTC(2026, 0, 1)
const hour = 3_600_000
const day = 24 * hour
beforeEach(() => void vi.useFakeTimers({ now: issuedAt, toFake: ["Date"] }))
afterEach(() => void vi.useRealTimers())

const f = createSluice()
const ran = vi.fn()
const config = { image: { maxFileCount: 5, acl: "private", contentDisposition: "attachment" } } as const
const router = {
  a: f(config)
    .input(z.string().optional())
    .middleware(({ files, input, renewal }) => {
      ran({ files, input, renewal })
      if (input === "no") throw new UploadError("Signed out meanwhile")
    })
    .file(({ file }) => ({ name: `in/${file.name}`, customId: `id-${file.name}` }))
    .onUploadComplete(() => 1),
  b: f(config)
    .middleware(ran)
    .onUploadComplete(() => 1),
}
const handle = handlerOf(router)

/** URLs as the upload action issued them at the beginning of 2026; what they were registered by is forgotten. */
const sevenDays = 7 * day

const issue = async (...fileNames: ReadonlyArray<string>) => {
  const files = fileNames.map((name) => ({ ...png, name }))
  const uploads = await presigned(await handle(uploadRequest("a", { files })))
  ran.mockClear()
  ingest.registrations.length = 0
  return uploads
}

const grant: UploadGrant = {
  key: `${encodedAppId}abc`,
  appId,
  expires: issuedAt + hour,
  name: "cat.png",
  size: 1024,
  type: "image/png",
  slug: "a",
}
const signedUrl = async (fields: Partial<UploadGrant> = {}, base = ingestUrl, key = apiKey) =>
  signUploadUrl(base, { ...grant, ...fields }, createSigner(key))

describe("renew", () => {
  test.each([
    ["that still live", 0],
    ["that have just expired", hour],
    ["that expired 24 hours ago, less a moment", hour + day - 1],
  ])("signs the same keys anew for URLs %s: all but the expiry stays", async (_, passed) => {
    const uploads = await issue("cat.png", "dog.png")
    const before = await Promise.all(uploads.map(({ url }) => grantOf(url, issuedAt)))
    vi.setSystemTime(issuedAt + passed)
    const response = await handle(renewRequest("a", { urls: uploads.map(({ url }) => url) }))
    expect(response.headers.get("cache-control")).toBe("no-store")
    const renewed = await presigned(response)
    expect(renewed.map(({ url, ...rest }) => rest)).toEqual(uploads.map(({ url, ...rest }) => rest))
    const after = await Promise.all(renewed.map(({ url }) => grantOf(url)))
    expect(after).toEqual(before.map((grant) => ({ ...grant, expires: issuedAt + passed + hour })))
  })

  test("tells the ingest until when the new URLs are valid, with what it was told first", async () => {
    const uploads = await issue("cat.png", "dog.png")
    const { registrationId } = await grantOf(uploads[0]!.url)
    vi.setSystemTime(issuedAt + 1000)
    await presigned(await handle(renewRequest("a", { urls: uploads.map(({ url }) => url) })))
    expect(ingest.registrations.map(({ text }) => JSON.parse(text))).toMatchObject([
      {
        id: registrationId,
        expires: issuedAt + 1000 + hour,
        fileKeys: uploads.map(({ key }) => key),
        metadata: { userId: 7 },
        callbackSlug: "a",
      },
    ])
  })

  test("asks the ingest once whose uploads they are, and each registration is prolonged by itself", async () => {
    const [first, second] = [await issue("cat.png"), await issue("dog.png", "cow.png")]
    ingest.answerQuery(() =>
      json({ registrations: [{ metadata: { userId: 1 } }, { metadata: null }], files: [0, 1, 1] }),
    )
    const all = [...first, ...second]
    await presigned(await handle(renewRequest("a", { urls: all.map(({ url }) => url) })))
    const ids = await Promise.all(all.map(async ({ url }) => (await grantOf(url)).registrationId))
    expect(ingest.queries.map(({ text }) => JSON.parse(text))).toEqual([
      { files: all.map(({ key }, i) => ({ key, id: ids[i] })) },
    ])
    expect(ran.mock.calls[0]![0].renewal).toEqual([
      { key: first[0]!.key, metadata: { userId: 1 } },
      { key: second[0]!.key, metadata: null },
      { key: second[1]!.key, metadata: null },
    ])
    expect(ingest.registrations.map(({ text }) => JSON.parse(text))).toMatchObject([
      { id: ids[0], fileKeys: [first[0]!.key], metadata: { userId: 1 } },
      { id: ids[1], fileKeys: second.map(({ key }) => key), metadata: null },
    ])
  })

  test("keeps when the first URL was issued, and ends all renewals seven days after that", async () => {
    let [upload] = await issue("cat.png")
    for (let passed = 0; passed < sevenDays; passed += 20 * hour) {
      vi.setSystemTime(issuedAt + passed)
      ;[upload] = await presigned(await handle(renewRequest("a", { urls: [upload!.url] })))
    }
    vi.setSystemTime(issuedAt + sevenDays - 1)
    ;[upload] = await presigned(await handle(renewRequest("a", { urls: [upload!.url] })))
    expect(await grantOf(upload!.url)).toMatchObject({ issuedAt, expires: issuedAt + sevenDays })
    vi.setSystemTime(issuedAt + sevenDays)
    ran.mockClear()
    const problem = await refused(await handle(renewRequest("a", { urls: [upload!.url] })), "EXPIRED_URL", 403)
    expect(problem.detail).toMatch(/Begin a new upload/)
    expect(ran).not.toHaveBeenCalled()
  })

  test("is refused where the ingest does not expect the upload any more, before the middleware", async () => {
    const [upload] = await issue("cat.png")
    ingest.answerQuery(() => json({ code: "NOT_FOUND", detail: "Over." }, 404))
    const problem = await refused(await handle(renewRequest("a", { urls: [upload!.url] })), "NOT_FOUND", 404)
    expect(problem.detail).toMatch(/Begin a new upload/)
    expect(ran).not.toHaveBeenCalled()
    expect(ingest.registrations).toEqual([])
  })

  test("may be tried again where the ingest cannot be asked", async () => {
    const [upload] = await issue("cat.png")
    ingest.answerQuery(() => json({}, 500))
    await refused(await handle(renewRequest("a", { urls: [upload!.url] })), "INGEST_UNAVAILABLE", 503)
    expect(ran).not.toHaveBeenCalled()
  })

  test("answers in the order asked, and runs the middleware once over all files", async () => {
    const uploads = await issue("cat.png", "dog.png")
    const urls = uploads.map(({ url }) => url).toReversed()
    const renewed = await presigned(await handle(renewRequest("a", { urls, input: "yes" })))
    expect(renewed.map(({ key }) => key)).toEqual(uploads.map(({ key }) => key).toReversed())
    expect(ran.mock.calls).toEqual([
      [
        {
          files: [
            { name: "in/dog.png", size: 1024, type: "image/png" },
            { name: "in/cat.png", size: 1024, type: "image/png" },
          ],
          input: "yes",
          renewal: urls.map((_, i) => ({ key: uploads.toReversed()[i]!.key, metadata: { userId: 7 } })),
        },
      ],
    ])
  })

  test("a renewed URL can be renewed again", async () => {
    let [upload] = await issue("cat.png")
    for (let i = 1; i <= 3; i++) {
      vi.setSystemTime(issuedAt + i * day)
      ;[upload] = await presigned(await handle(renewRequest("a", { urls: [upload!.url] })))
    }
    expect((await grantOf(upload!.url)).expires).toBe(issuedAt + 3 * day + hour)
  })

  test("can be refused by the middleware, as a sign-out would", async () => {
    const [upload] = await issue("cat.png")
    const problem = await refused(
      await handle(renewRequest("a", { urls: [upload!.url], input: "no" })),
      "FORBIDDEN",
      403,
    )
    expect(problem.detail).toBe("Signed out meanwhile")
  })

  test("validates the input before the middleware", async () => {
    const [upload] = await issue("cat.png")
    await refused(await handle(renewRequest("a", { urls: [upload!.url], input: 7 })), "INVALID_INPUT", 400)
    expect(ran).not.toHaveBeenCalled()
  })
})

describe("renew refuses, before any user code,", () => {
  const refuses = async (urls: ReadonlyArray<string>, code: "INVALID_SIGNATURE" | "EXPIRED_URL", slug = "a") => {
    const problem = await refused(await handle(renewRequest(slug, { urls })), code, 403)
    expect(JSON.stringify(problem)).not.toContain("hmac-sha256")
    expect(ran).not.toHaveBeenCalled()
    expect(ingest.registrations).toEqual([])
    return problem
  }

  test("a URL that expired more than 24 hours ago", async () => {
    const [upload] = await issue("cat.png")
    vi.setSystemTime(issuedAt + hour + day)
    const problem = await refuses([upload!.url], "EXPIRED_URL")
    expect(problem.detail).toContain('"in/cat.png"')
  })

  test("a URL that does not say when it was first issued: nobody knows how often it was renewed", async () => {
    const problem = await refuses([await signedUrl()], "EXPIRED_URL")
    expect(problem.detail).toMatch(/Begin a new upload/)
  })

  test("a URL of another route", async () => {
    const [upload] = await issue("cat.png")
    const problem = await refuses([upload!.url], "INVALID_SIGNATURE", "b")
    expect(problem.detail).toMatch(/"in\/cat\.png" was not issued for route "b"/)
  })

  test.each([
    ["of an upload from the server, which has no route", () => signedUrl({ slug: undefined })],
    ["of another app with the same key", () => signedUrl({ appId: "other" })],
    ["whose file key is another app's", () => signedUrl({ key: "AnotherApp12abc" })],
    ["whose file key is the bare prefix", () => signedUrl({ key: encodedAppId })],
    ["signed with another key", () => signedUrl({}, ingestUrl, "sk_other")],
    ["of another ingest", () => signedUrl({}, "http://other.test")],
    ["of an ingest whose name only begins like ours", () => signedUrl({}, `${ingestUrl}.attacker.test`)],
    ["without its signature", async () => (await signedUrl()).replace(/&signature.*/, "")],
    ["with a larger size", async () => (await signedUrl()).replace("file-size=1024", "file-size=9999")],
    ["with another slug", async () => (await signedUrl({ slug: "b" })).replace("slug=b", "slug=a")],
    ["with a parameter added after the signature", async () => `${await signedUrl()}&x-sluice-acl=public-read`],
    ["that is none", async () => "hello"],
    ["that is empty", async () => ""],
    [
      "that is signed, but for reading a file",
      async () => (await signedUrl()).replace(/\?.*/, "?expires=1&signature=hmac-sha256%3D" + "0".repeat(64)),
    ],
  ])("a URL %s", async (_, make) => {
    await refuses([await make()], "INVALID_SIGNATURE")
  })

  test("all URLs where one of them is wrong", async () => {
    const [upload] = await issue("cat.png")
    await refuses([upload!.url, upload!.url.replace("1024", "1025")], "INVALID_SIGNATURE")
  })

  test("a URL of before the API key was changed", async () => {
    const [upload] = await issue("cat.png")
    const token = createToken({ apiKey: "sk_new" })
    await refused(
      await handlerOf(router, { token })(renewRequest("a", { urls: [upload!.url] })),
      "INVALID_SIGNATURE",
      403,
    )
    expect(ran).not.toHaveBeenCalled()
  })

  test.each([
    ["no URLs", { urls: [] }, /at least one URL/],
    ["URLs that are no list", { urls: "http://x" }, /urls/],
    ["a URL that is no text", { urls: [1] }, /urls\[0\]/],
    ["1,001 URLs", { urls: Array(1001).fill("x") }, /at most 1000 URLs/],
    ["an upload request", { files: [png] }, /urls/],
  ])("%s", async (_, body, detail) => {
    const problem = await refused(await handle(renewRequest("a", body)), "BAD_REQUEST", 400)
    expect(problem.detail).toMatch(detail)
    expect(ran).not.toHaveBeenCalled()
  })

  test("a body that is no JSON", async () => {
    await refused(await handle(toRequest("?actionType=renew&slug=a", "{")), "BAD_REQUEST", 400)
  })

  test("everything without a token", async () => {
    await refused(await handlerOf(router, { token: "?" })(renewRequest("a", { urls: ["x"] })), "INVALID_TOKEN", 500)
    expect(ran).not.toHaveBeenCalled()
  })
})
