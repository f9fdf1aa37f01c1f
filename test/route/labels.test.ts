import { describe, expect, test } from "vitest"
import { createSealer } from "../../src/protocol/signing/seal.ts"
import { createSluice, type FileRouter } from "../../src/server.ts"
import { apiKey, appId } from "./app-token.ts"
import { grantOf, handlerOf, png, presigned, refused, renewRequest, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"

useMockIngest()
useConsoleLines()

const f = createSluice()
const image = { image: { maxFileCount: 10 } } as const

const ask = async (route: FileRouter[string], files: ReadonlyArray<object> = [png]) =>
  presigned(await handlerOf({ a: route })(uploadRequest("a", { files })))

/** What the URL says of its file; undefined where it says nothing. */
const open = async (url: string): Promise<unknown> => {
  const { labels, key } = await grantOf(url)
  return labels === undefined
    ? undefined
    : JSON.parse((await createSealer(apiKey).open(labels, { appId, fileKey: key }))!)
}

describe("what a route says of its files", () => {
  test("is nothing by default, so that URLs are as short as they were", async () => {
    const plain = f(image).onUploadComplete(() => 1)
    const decides = f(image)
      .middleware(() => ({}))
      .file(() => ({ name: "a.png" }))
      .onUploadComplete(() => 1)
    for (const route of [plain, decides]) {
      const [upload] = await ask(route)
      expect(upload!.url).not.toContain("labels")
    }
  })

  test("is in the URL of each file, for the ingest alone", async () => {
    const route = f(image, { claim: "24 hours" })
      .middleware(() => ({ userId: "user-7" }))
      .file(({ file, metadata }) => ({
        owner: metadata.userId,
        path: `photos/${file.name}`,
        ownerQuota: "1GB",
        expiresIn: "30 days",
      }))
      .onUploadComplete(() => 1)
    const uploads = await ask(route, [png, { ...png, name: "b.png" }])
    const said = { owner: "user-7", ownerQuota: 1024 ** 3, keepFor: 30 * 86_400_000, claimWithin: 86_400_000 }
    expect(await open(uploads[0]!.url)).toEqual({ ...said, path: `photos/${png.name}` })
    expect(await open(uploads[1]!.url)).toEqual({ ...said, path: "photos/b.png" })
    for (const { url } of uploads) expect(decodeURIComponent(url)).not.toMatch(/user-7|photos/)
  })

  test("is the claim alone where there is no .file()", async () => {
    const [upload] = await ask(f(image, { claim: 60 }).onUploadComplete(() => 1))
    expect(await open(upload!.url)).toEqual({ claimWithin: 60_000 })
  })

  test("is that files are held, by the route or by .file(), which counts more", async () => {
    const route = f({ image: { maxFileCount: 2 } }, { hold: true })
    const [upload] = await ask(route.onUploadComplete(() => 1))
    expect(await open(upload!.url)).toEqual({ hold: true })
    expect(upload).toMatchObject({ isHeld: true })
    const trusted = route
      .middleware(() => ({}))
      .file(({ file }) => ({ hold: file.name === "b.png" }))
      .onUploadComplete(() => 1)
    const uploads = await ask(trusted, [png, { ...png, name: "b.png" }])
    expect(await open(uploads[0]!.url)).toBeUndefined()
    expect(await open(uploads[1]!.url)).toEqual({ hold: true })
    expect(uploads.map((each) => "isHeld" in each)).toEqual([false, true])
    const [free] = await ask(f(image, { hold: false }).onUploadComplete(() => 1))
    expect(await open(free!.url)).toBeUndefined()
  })

  test("stays in the URL when it is renewed", async () => {
    const route = f(image, { claim: 60 }).onUploadComplete(() => 1)
    const [upload] = await ask(route)
    const [renewed] = await presigned(await handlerOf({ a: route })(renewRequest("a", { urls: [upload!.url] })))
    expect((await grantOf(renewed!.url)).labels).toBe((await grantOf(upload!.url)).labels)
  })

  test.each([
    [{ owner: "" }, /owner of 1 to 256 bytes/],
    [{ owner: "é".repeat(129) }, /owner of 1 to 256 bytes/],
    [{ owner: 7 as never }, /owner of 1 to 256 bytes/],
    [{ path: "/a" }, /relative path/],
    [{ path: "a/../b" }, /relative path/],
    [{ path: "x".repeat(1025) }, /at most 1024 bytes/],
    [{ ownerQuota: "1GB" as const }, /an owner beside ownerQuota/],
    [{ owner: "u", ownerQuota: "much" as never }, /ownerQuota/],
    [{ expiresIn: "soon" as never }, /expiresIn/],
    [{ expiresIn: 0 }, /expiresIn/],
    [{ hold: "no" as never }, /hold to be true or false/],
  ])("is refused with what was expected, and nothing is signed: %j", async (decision, message) => {
    const route = f(image)
      .middleware(() => ({}))
      .file(() => decision)
      .onUploadComplete(() => 1)
    const handle = handlerOf({ a: route }, { isDev: true })
    const problem = await refused(await handle(uploadRequest("a", { files: [png] })), "INVALID_CONFIG", 500)
    expect(JSON.stringify(problem)).toMatch(message)
  })

  test("is refused where the route is written, if its claim is no duration or its hold no boolean", () => {
    expect(() => f(image, { hold: "yes" as never })).toThrow(/hold must be true or false/)
    expect(() => f(image, { transport: "ingest" as never })).toThrow(/transport must be "direct"/)
    expect(() => f(image, { claim: "tomorrow" as never })).toThrow(/claim: "tomorrow" is not a duration/)
  })
})
