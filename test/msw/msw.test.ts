import type { StandardSchemaV1 } from "@standard-schema/spec"
import { setupServer } from "msw/node"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, expectTypeOf, test, vi } from "vitest"
import { generateUploader, type UploadProgress } from "../../src/client.ts"
import { createUploadMock, UploadError } from "../../src/msw.ts"
import { createSluice, extractRouteConfig } from "../../src/server.ts"
import { names } from "../../src/protocol.ts"

const f = createSluice()
const album: StandardSchemaV1<{ album: string }> = {
  "~standard": { version: 1, vendor: "test", validate: (value) => ({ value: value as { album: string } }) },
}
const avatarConfig = { image: { maxFileSize: "4MB", maxFileCount: 2 } } as const
const documentsConfig = ["pdf", "application/zip"] as const
const router = {
  avatar: f(avatarConfig)
    .input(album)
    .onUploadComplete(({ file }) => ({ owner: "somebody", at: new Date(), size: file.size })),
  documents: f(documentsConfig).onUploadComplete(() => {}),
}
type Router = typeof router

const url = "http://app.test/api/sluice"
const uploads = createUploadMock<Router>({
  routes: {
    avatar: {
      config: avatarConfig,
      serverData: ({ file, input }) => ({ owner: input.album, at: "2026-01-01", size: file.size }),
    },
    documents: { config: documentsConfig },
  },
})
const server = setupServer(...uploads.handlers)
beforeAll(() => server.listen({ onUnhandledFrame: "error" }))
afterEach(() => {
  uploads.reset()
  server.events.removeAllListeners()
})
afterAll(() => server.close())

const { uploadFiles, createUpload } = generateUploader<Router>({ url, retry: { attempts: 2, delay: 1 } })

const bytesOf = (size: number) => Uint8Array.from({ length: size }, (_, i) => i % 251)
const image = (name = "a.png", size = 300_000) => new File([bytesOf(size)], name, { type: "image/png" })
const input = { album: "you" }
const avatar = async (files = [image()], options = {}) => uploadFiles("avatar", { files, input, ...options })

const errorOf = async (upload: ReturnType<typeof avatar>) => {
  const [outcome] = await upload
  if (outcome?.status !== "failed") throw new Error(`The upload ended ${outcome?.status}.`)
  return outcome.error
}

describe("an upload to the mock", () => {
  test("succeeds, with the serverData of its route", async () => {
    const [outcome] = await avatar()
    if (outcome?.status !== "done") throw outcome?.error
    expectTypeOf(outcome.serverData).toEqualTypeOf<{ owner: string; at: string; size: number }>()
    expect(outcome.serverData).toEqual({ owner: "you", at: "2026-01-01", size: 300_000 })
    expect(outcome).toMatchObject({ name: "a.png", size: 300_000, type: "image/png", customId: null })
    const digest = await crypto.subtle.digest("SHA-256", bytesOf(300_000))
    expect(outcome.fileHash).toBe(Buffer.from(digest).toString("hex"))
  })

  test("leaves the file to be looked at", async () => {
    await avatar()
    await uploadFiles("documents", { files: [new File(["%PDF-"], "b.pdf", { type: "application/pdf" })] })
    expect(uploads.files).toMatchObject([
      { slug: "avatar", name: "a.png", input, size: 300_000 },
      { slug: "documents", name: "b.pdf", input: undefined },
    ])
    const [first] = uploads.files
    expect(Buffer.from(first!.bytes).equals(bytesOf(300_000))).toBe(true)
    if (first?.slug === "avatar") expectTypeOf(first.input).toEqualTypeOf<{ album: string }>()
  })

  test("can be read where its url says", async () => {
    const [outcome] = await avatar()
    if (outcome?.status !== "done") throw outcome?.error
    const response = await fetch(outcome.url)
    expect(response.headers.get("content-type")).toBe("image/png")
    expect(Buffer.from(await response.arrayBuffer()).equals(bytesOf(300_000))).toBe(true)
  })

  test("of an empty image is refused, as by the real handler", async () => {
    expect(await errorOf(avatar([image("empty.png", 0)]))).toMatchObject({ code: "FILE_TYPE_NOT_ALLOWED" })
  })

  test("as a form succeeds too", async () => {
    const [{ url: putUrl }] = await presign()
    const body = new FormData()
    body.set("file", image())
    const response = await fetch(putUrl, { method: "PUT", body })
    expect(await response.json()).toMatchObject({ size: 300_000 })
    expect(Buffer.from(uploads.files[0]!.bytes).equals(bytesOf(300_000))).toBe(true)
  })

  test("is held to the route's limits, with the codes of the real handler", async () => {
    expect(await errorOf(avatar([new File(["x"], "x.txt", { type: "text/plain" })]))).toMatchObject({
      code: "FILE_TYPE_NOT_ALLOWED",
      status: 415,
    })
    expect((await errorOf(avatar([image("big.png", 4 * 1024 * 1024 + 1)]))).code).toBe("FILE_TOO_LARGE")
    expect((await errorOf(avatar([image("1"), image("2"), image("3")]))).code).toBe("TOO_MANY_FILES")
  })

  test("takes any file where the route has no configuration", async () => {
    const anything = createUploadMock({ routes: { any: {} }, url: "http://any.test/u", ingestUrl: "http://store.test" })
    server.use(...anything.handlers)
    const outcomes = await generateUploader({ url: "http://any.test/u" }).uploadFiles("any", {
      files: [image(), new File(["x"], "x.weird")],
    })
    expect(outcomes).toMatchObject([
      { status: "done", serverData: null },
      { status: "done", serverData: null },
    ])
    server.resetHandlers()
  })
})

const presign = async (files = [image()]): Promise<[{ url: string; key: string }]> => {
  const response = await fetch(`${url}?${names.action.type}=${names.action.upload}&${names.action.slug}=avatar`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ files: files.map(({ name, size, type }) => ({ name, size, type })), input }),
  })
  return (await response.json()) as [{ url: string; key: string }]
}

describe("the app", () => {
  test("describes its routes as the real one does", async () => {
    expect(await (await fetch(url)).json()).toEqual(extractRouteConfig(router))
  })

  test("refuses when told to, until reset", async () => {
    uploads.refuse("avatar", new UploadError({ code: "FORBIDDEN", message: "Sign in first.", data: { login: "/in" } }))
    for (const _ of [1, 2]) {
      expect(await errorOf(avatar())).toMatchObject({
        code: "FORBIDDEN",
        status: 403,
        detail: "Sign in first.",
        data: { login: "/in" },
      })
    }
    expect((await uploadFiles("documents", { files: [new File(["%PDF-"], "b.pdf")] }))[0]!.status).toBe("done")
    uploads.reset()
    expect((await avatar())[0]!.status).toBe("done")
  })

  test("refuses once when told so, and says when to come back", async () => {
    uploads.refuse("avatar", "RATE_LIMITED", { once: true, retryAfter: 7 })
    const response = await fetch(`${url}?${names.action.type}=${names.action.upload}&${names.action.slug}=avatar`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ files: [{ name: "a.png", size: 1, type: "image/png" }] }),
    })
    expect(response.status).toBe(429)
    expect(response.headers.get("retry-after")).toBe("7")
    expect(response.headers.get("content-type")).toBe("application/problem+json")
    expect((await avatar())[0]!.status).toBe("done")
  })

  test("cannot be reached when told so", async () => {
    uploads.refuse("avatar", "NETWORK_ERROR")
    expect((await errorOf(avatar())).code).toBe("NETWORK_ERROR")
    await expect(presign()).rejects.toThrow(TypeError)
  })

  test("renews a signed URL: the same key, and the bytes that are stored", async () => {
    uploads.fail("avatar", "NETWORK_ERROR", { after: 1000, once: true })
    const [{ url: first, key }] = await presign()
    await fetch(first, { method: "PUT", body: bytesOf(300_000) }).catch(() => {})
    const response = await fetch(`${url}?${names.action.type}=${names.action.renew}&${names.action.slug}=avatar`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ urls: [first], input }),
    })
    const [renewed] = (await response.json()) as [{ url: string; key: string }]
    expect(renewed.key).toBe(key)
    const head = await fetch(renewed.url, { method: "HEAD" })
    expect(head.headers.get("x-sluice-range-start")).toBe("1000")
  })
})

/** Where the bytes of each PUT begin. */
const watchRanges = (): ReadonlyArray<string | null> => {
  const ranges: Array<string | null> = []
  server.events.on("request:start", ({ request }) => {
    if (request.method === "PUT") ranges.push(request.headers.get("range"))
  })
  return ranges
}

describe("the ingest", () => {
  test("fails the upload when told to", async () => {
    uploads.fail("avatar", "CONTENT_MISMATCH")
    const error = await errorOf(avatar())
    expect(error).toMatchObject({ code: "CONTENT_MISMATCH", status: 415 })
    expect(error.detail).not.toBe("")
    expect(uploads.files).toEqual([])
  })

  test("gives the same URL the same answer once its content was refused, as the real one does", async () => {
    uploads.fail("avatar", "CONTENT_MISMATCH", { once: true })
    const upload = createUpload("avatar", { files: [image()], input })
    await upload.done()
    upload.resumeUpload()
    expect(await upload.done()).toMatchObject([{ status: "failed", error: { code: "CONTENT_MISMATCH" } }])
    expect((await avatar())[0]!.status).toBe("done")
  })

  test("fails the file that is named", async () => {
    uploads.fail("avatar", new UploadError({ code: "QUOTA_EXCEEDED", message: "Full." }), { name: "b.png" })
    expect(await avatar([image("a.png"), image("b.png")])).toMatchObject([
      { status: "done" },
      { status: "failed", error: { code: "QUOTA_EXCEEDED", detail: "Full." } },
    ])
  })

  test("keeps what came before a cut, and the client goes on from there", async () => {
    uploads.fail("avatar", "NETWORK_ERROR", { after: 100_000, once: true })
    const ranges = watchRanges()
    expect((await avatar())[0]!.status).toBe("done")
    expect(ranges).toEqual(["bytes=0-", "bytes=100000-"])
    expect(Buffer.from(uploads.files[0]!.bytes).equals(bytesOf(300_000))).toBe(true)
  })

  test("says when to come back", async () => {
    uploads.fail("avatar", "INGEST_UNAVAILABLE", { retryAfter: 3 })
    const [{ url: putUrl }] = await presign()
    const response = await fetch(putUrl, { method: "PUT", body: bytesOf(300_000) })
    expect(response.status).toBe(503)
    expect(response.headers.get("retry-after")).toBe("3")
  })

  test("refuses what it did not sign, bytes from a wrong offset and too many bytes", async () => {
    const [{ url: putUrl }] = await presign()
    const put = async (to: string, body: Uint8Array<ArrayBuffer>, headers = {}) =>
      (await fetch(to, { method: "PUT", body, headers })).json() as Promise<{ code: string }>
    expect((await put(putUrl.replace("a.png", "b.png"), bytesOf(1))).code).toBe("INVALID_SIGNATURE")
    expect((await put(putUrl, bytesOf(300_000), { range: "bytes=5-" })).code).toBe("RANGE_MISMATCH")
    expect((await put(putUrl, bytesOf(1))).code).toBe("RANGE_MISMATCH")
    expect((await put(putUrl, bytesOf(1), { range: "lines=5-" })).code).toBe("BAD_REQUEST")
    expect((await put(putUrl, bytesOf(300_000), { range: "bytes=1-" })).code).toBe("SIZE_MISMATCH")
  })

  test("takes raw bytes by POST as by PUT, and forms by PUT alone", async () => {
    const [{ url: signed }] = await presign()
    const form = new FormData()
    form.set("file", new Blob([bytesOf(300_000)]))
    expect((await fetch(signed, { method: "POST", body: form })).status).toBe(405)
    const answer = await fetch(signed, { method: "POST", body: bytesOf(300_000) })
    expect(await answer.json()).toMatchObject({ size: 300_000 })
    expect((await fetch(signed, { method: "PATCH", body: "x" })).status).toBe(405)
  })

  test("ends an upload that its client cancels, and no file that has arrived", async () => {
    const [{ url: signed }] = await presign()
    expect((await fetch(signed, { method: "DELETE" })).status).toBe(204)
    const refused = await fetch(signed, { method: "PUT", body: bytesOf(300_000) })
    expect([refused.status, (await refused.json()).code]).toEqual([410, "ABORTED"])
    const [{ url: stored }] = await presign()
    await fetch(stored, { method: "PUT", body: bytesOf(300_000) })
    const late = await fetch(stored, { method: "DELETE" })
    expect([late.status, late.headers.get("x-sluice-range-start")]).toEqual([204, "300000"])
    expect(uploads.files).toHaveLength(1)
  })

  test("answers the preflight of a page of another origin", async () => {
    const [{ url: putUrl }] = await presign()
    const response = await fetch(putUrl, { method: "OPTIONS" })
    expect(response.status).toBe(204)
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
    expect(response.headers.get("access-control-allow-methods")).toMatch(/PUT, POST, DELETE, HEAD/)
    expect(response.headers.get("access-control-allow-headers")).toMatch(/range, content-type/)
  })

  test("tells what the serverData of a route threw", async () => {
    const broken = createUploadMock<Router>({
      routes: {
        avatar: {
          serverData: () => {
            throw new Error("No such owner.")
          },
        },
      },
    })
    server.use(...broken.handlers)
    const error = await errorOf(avatar())
    server.resetHandlers()
    expect(error.code).toBe("CALLBACK_FAILED")
    expect(error.detail).toMatch(/No such owner\./)
  })
})

describe("an upload that is held", () => {
  let progress: Array<UploadProgress<File>>
  beforeEach(() => {
    progress = []
  })
  const onUploadProgress = (event: UploadProgress<File>) => void progress.push(event)

  test("waits where it is told to, and ends when it is let go", async () => {
    const hold = uploads.hold("avatar", { after: 100_000 })
    const upload = avatar(undefined, { onUploadProgress })
    await hold.reached
    expect(await isPending(upload)).toBe(true)
    expect(progress.at(-1)!.progress).toBeLessThan(100)
    expect(uploads.files).toEqual([])
    hold.release()
    expect((await upload)[0]!.status).toBe("done")
    expect(progress.at(-1)!.progress).toBe(100)
  })

  test("without a place waits with all its bytes sent, unconfirmed", async () => {
    const hold = uploads.hold("avatar", { name: "b.png" })
    const upload = avatar([image("a.png"), image("b.png")], { onUploadProgress })
    await hold.reached
    expect(progress.findLast(({ file }) => file.name === "b.png")).toMatchObject({ loaded: 300_000, progress: 99 })
    hold.release()
    expect(await upload).toMatchObject([{ status: "done" }, { status: "done" }])
  })

  test("can be paused, and goes on from there", async () => {
    const ranges = watchRanges()
    const hold = uploads.hold("avatar", { after: 200_000 })
    const upload = createUpload("avatar", { files: [image()], input })
    await hold.reached
    upload.pauseUpload()
    expect(await upload.done()).toMatchObject([{ status: "paused" }])
    hold.release()
    upload.resumeUpload()
    expect(await upload.done()).toMatchObject([{ status: "done" }])
    expect(Buffer.from(uploads.files[0]!.bytes).equals(bytesOf(300_000))).toBe(true)
    expect(uploads.files).toHaveLength(1)
    expect(ranges).toEqual(["bytes=0-", "bytes=200000-"])
  })

  test("stops for good when another request asks for the offset", async () => {
    const hold = uploads.hold("avatar", { after: 1000 })
    const [{ url: putUrl }] = await presign()
    const first = fetch(putUrl, { method: "PUT", body: bytesOf(300_000) })
    await hold.reached
    const head = await fetch(putUrl, { method: "HEAD" })
    hold.release()
    expect((await first).status).toBe(409)
    for (const { headers } of [head, await first]) expect(headers.get("x-sluice-range-start")).toBe("1000")
    expect(uploads.files).toEqual([])
  })

  test("can be made to fail meanwhile", async () => {
    const hold = uploads.hold("avatar", { after: 10 })
    const upload = avatar()
    await hold.reached
    uploads.fail("avatar", "QUOTA_EXCEEDED")
    hold.release()
    expect((await errorOf(upload)).code).toBe("QUOTA_EXCEEDED")
  })

  test("ends at a reset, and is forgotten", async () => {
    const hold = uploads.hold("avatar")
    const upload = avatar()
    await hold.reached
    uploads.reset()
    expect((await errorOf(upload)).code).toBe("NOT_FOUND")
    expect(uploads.files).toEqual([])
    expect((await avatar())[0]!.status).toBe("done")
  })
})

test("an upload that is delayed is confirmed so much later, by the clock of the test", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] })
  try {
    const start = Date.now()
    uploads.delay("avatar", 60_000)
    const upload = avatar()
    while (await isPending(upload)) await vi.advanceTimersByTimeAsync(1000)
    expect(await upload).toMatchObject([{ status: "done" }])
    expect(Date.now() - start).toBeGreaterThanOrEqual(60_000)
  } finally {
    vi.useRealTimers()
  }
})

/** Whether a promise is unsettled after all that is under way in this process has had its turn. */
const isPending = async (promise: Promise<unknown>): Promise<boolean> => {
  let settled = false
  void promise.finally(() => {
    settled = true
  })
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  return !settled
}

describe("a mistake in a test", () => {
  test("in a slug is told at once", () => {
    const few = createUploadMock<Router>({ routes: { documents: {} } })
    expect(() => few.fail("avatar", "LOCKED")).toThrow(/Route "avatar" is not mocked.*documents/)
    // @ts-expect-error there is no such route
    expect(() => few.hold("banner")).toThrow(expect.objectContaining({ code: "ROUTE_NOT_FOUND" }))
  })

  test("in a configuration is told at once", () => {
    expect(() => createUploadMock({ routes: { a: { config: {} } } })).toThrow(
      expect.objectContaining({ code: "INVALID_CONFIG" }),
    )
  })

  test("in a type is told by the compiler", () => {
    // @ts-expect-error avatar's serverData is missing
    createUploadMock<Router>({ routes: { avatar: {} } })
    // @ts-expect-error avatar's serverData has an owner
    createUploadMock<Router>({ routes: { avatar: { serverData: { at: "", size: 1 } } } })
    // @ts-expect-error there is no such route
    createUploadMock<Router>({ routes: { banner: {} } })
  })
})
