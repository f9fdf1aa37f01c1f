import { describe, expect, test } from "vitest"
import { createSluice } from "../../src/server.ts"
import { appUrl, handlerOf } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"

const ingest = useMockIngest()
useConsoleLines()

const f = createSluice()
const get = (router: Parameters<typeof handlerOf>[0], options = {}) =>
  handlerOf(router, options)(new Request(appUrl, { method: "GET" }))

const defaults = { maxFileCount: 1, minFileCount: 1, contentDisposition: "inline" }

describe("GET on the adapter", () => {
  const router = {
    zebra: f({ image: { maxFileSize: "2MB", maxFileCount: 4, minFileCount: 2, acl: "private" } }).onUploadComplete(
      () => 1,
    ),
    avatar: f(["image", "video", "audio", "pdf", "text", "blob", "application/zip"]).onUploadComplete(() => 1),
    "m n/é": f({
      pdf: { maxFileSize: 3_145_728, contentDisposition: "attachment", noun: "invoice" },
    }).onUploadComplete(() => 1),
  }

  test("describes every route, in router order, with every default filled in", async () => {
    const response = await get(router)
    expect(response.status).toBe(200)
    expect(response.headers.get("content-type")).toBe("application/json")
    expect(await response.json()).toEqual([
      {
        slug: "zebra",
        config: { image: { ...defaults, maxFileSize: "2MB", maxFileCount: 4, minFileCount: 2, acl: "private" } },
      },
      {
        slug: "avatar",
        config: {
          image: { ...defaults, maxFileSize: "4MB" },
          video: { ...defaults, maxFileSize: "16MB" },
          audio: { ...defaults, maxFileSize: "8MB" },
          pdf: { ...defaults, maxFileSize: "4MB" },
          text: { ...defaults, maxFileSize: "64KB" },
          blob: { ...defaults, maxFileSize: "8MB" },
          "application/zip": { ...defaults, maxFileSize: "8MB", noun: "ZIP archive" },
        },
      },
      {
        slug: "m n/é",
        config: { pdf: { ...defaults, maxFileSize: "3MB", contentDisposition: "attachment", noun: "invoice" } },
      },
    ])
  })

  test("a size given in odd bytes stays exact", async () => {
    const odd = { a: f({ blob: { maxFileSize: 1_234_567 } }).onUploadComplete(() => 1) }
    expect(await (await get(odd)).json()).toEqual([
      { slug: "a", config: { blob: { ...defaults, maxFileSize: "1234567B" } } },
    ])
  })

  test("works without a token and asks nobody", async () => {
    for (const token of ["", "nonsense"]) {
      expect((await get(router, { token })).status).toBe(200)
    }
    expect(ingest.registrations).toEqual([])
  })

  test("a router without routes is an empty list", async () => {
    expect(await (await get({})).json()).toEqual([])
  })

  test("each request gets an answer of its own", async () => {
    const handle = handlerOf(router)
    const [one, two] = await Promise.all([handle(new Request(appUrl)), handle(new Request(appUrl))])
    expect(await one.text()).toBe(await two.text())
  })
})

describe("a route's configuration", () => {
  const begin = (config: unknown, options?: unknown) => () => f(config as never, options as never)

  test.each([
    ["no kinds", {}, /image, video, audio/],
    ["an empty list", [], /image, video, audio/],
    ["an unknown kind", { picture: {} }, /"picture" is not a kind of file/],
    ["a media type with upper case", { "Image/PNG": {} }, /"Image\/PNG" is not a kind/],
    ["a size that is none", { image: { maxFileSize: "4 megs" } }, /image\.maxFileSize: "4 megs" is not a size/],
    ["a negative size", { image: { maxFileSize: -1 } }, /image\.maxFileSize/],
    ["a count of 0", { image: { maxFileCount: 0 } }, /image\.maxFileCount must be a whole number of at least 1, not 0/],
    ["half a file", { image: { maxFileCount: 1.5 } }, /image\.maxFileCount/],
    ["a count that is no number", { image: { minFileCount: "2" } }, /image\.minFileCount/],
    ["a noun that is none", { image: { noun: " " } }, /image\.noun must be what people call one such file/],
    ["a noun that is no text", { image: { noun: 5 } }, /image\.noun/],
    ["a noun with a line break", { image: { noun: "a\nb" } }, /image\.noun/],
    ["a noun that is a sentence", { image: { noun: "a".repeat(41) } }, /image\.noun/],
    [
      "more at least than at most",
      { image: { minFileCount: 3, maxFileCount: 2 } },
      /minFileCount \(3\) is more than maxFileCount \(2\)/,
    ],
  ])("with %s is refused where it is written", (_, config, message) => {
    expect(begin(config)).toThrow(message)
    expect(begin(config)).toThrow(expect.objectContaining({ code: "INVALID_CONFIG" }))
  })

  test.each(["soon", "0 minutes", -5, "1 fortnight"])(
    "with a time to live of %s is refused where it is written",
    (ttl) => {
      expect(begin({ image: {} }, { presignedUrlTtl: ttl })).toThrow(/presignedUrlTtl: .* is not a duration/)
    },
  )
})
