import { describe, expect, test } from "vitest"
import { z } from "zod"
import { createSluice } from "../../src/server.ts"
import { appUrl, handlerOf, png, presigned, refused, renewRequest, toRequest, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"

const ingest = useMockIngest()
useConsoleLines()

const f = createSluice()

/** A route whose user code counts its runs. */
const watchedRoute = (...config: Parameters<typeof f>) => {
  const ran: Array<string> = []
  const note = (what: string) => () => void ran.push(what)
  const route = f(...config)
    .input(z.unknown().refine(() => ran.push("input")))
    .middleware(note("middleware"))
    .file(note("file"))
    .onUploadError(note("onUploadError"))
    .onUploadComplete(note("onUploadComplete"))
  return { ran, route }
}

const nothingHappened = (ran: ReadonlyArray<string>) => {
  expect(ran).toEqual([])
  expect(ingest.registrations).toEqual([])
  expect(ingest.results).toEqual([])
}

const query = "?actionType=upload&slug=a"
const files = [png]
const [body] = [JSON.stringify({ files })]

describe("a malformed upload request is refused before any user code and any registration", () => {
  const form = new FormData()
  form.set("file", new File(["x"], "a.png"))

  test.each([
    ["no body at all", null, /not JSON/],
    ["an empty body", "", /not JSON/],
    ["broken JSON", '{"files":[', /not JSON/],
    ["JSON and more", `${body};`, /not JSON/],
    ["bytes that are no UTF-8", new Uint8Array([0x22, 0xff, 0x22]), /not JSON/],
    ["a multipart form", form, /not JSON/],
    ["a URL-encoded form", new URLSearchParams({ files: "[]" }), /not JSON/],
    ["null", "null", /Expected object/],
    ["a list", "[]", /Expected object/],
    ["no files", "{}", /files: missing/],
    ["an empty list of files", '{"files":[]}', /files: expected at least one file/],
    ["files that are no list", '{"files":{"0":1,"length":1}}', /files: expected array/],
    ["1,001 files", JSON.stringify({ files: Array(1001).fill(png) }), /files: expected at most 1000 files/],
    ["a file without a name", '{"files":[{"size":1,"type":""}]}', /files\[0\]\.name/],
    ["a name that is a number", '{"files":[{"name":1,"size":1,"type":""}]}', /files\[0\]\.name/],
    ["a type that is missing", '{"files":[{"name":"a","size":1}]}', /files\[0\]\.type/],
    ["a type that is too long", JSON.stringify({ files: [{ ...png, type: `image/${"x".repeat(300)}` }] }), /\.type/],
  ])("%s", async (_, body, detail) => {
    const { ran, route } = watchedRoute({ image: { maxFileCount: 2000 } })
    const problem = await refused(
      await handlerOf({ a: route })(toRequest(query, body, { headers: {} })),
      "BAD_REQUEST",
      400,
    )
    expect(problem.detail).toMatch(detail)
    nothingHappened(ran)
  })

  test.each([["-1"], ["0.5"], ["1e400"], ["-1e400"], ["9007199254740992"], ['"1"'], ["null"], ["true"], ["{}"]])(
    "a size of %s",
    async (size) => {
      const { ran, route } = watchedRoute({ image: {} })
      const body = `{"files":[{"name":"a.png","size":${size},"type":"image/png"}]}`
      const problem = await refused(await handlerOf({ a: route })(toRequest(query, body)), "BAD_REQUEST", 400)
      expect(problem.detail).toContain("files[0].size")
      nothingHappened(ran)
    },
  )

  test("a body over 1 MiB, whether announced or only sent", async () => {
    const { ran, route } = watchedRoute({ image: {} })
    const large = JSON.stringify({ files, input: "x".repeat(1024 * 1024) })
    const announced = toRequest(query, large, { headers: { "content-length": String(large.length) } })
    const streamed = toRequest(query, new Blob([large]).stream(), { duplex: "half" } as RequestInit)
    for (const request of [announced, streamed]) {
      const problem = await refused(await handlerOf({ a: route })(request), "BAD_REQUEST", 413)
      expect(problem.detail).toContain("1MB")
    }
    nothingHappened(ran)
  })

  test("a body of exactly 1 MiB is read", async () => {
    const { route } = watchedRoute({ image: {} })
    const rest = JSON.stringify({ files, input: "" }).length
    await presigned(await handlerOf({ a: route })(uploadRequest("a", { files, input: "x".repeat(1024 * 1024 - rest) })))
  })

  test("a body that breaks off", async () => {
    const { ran, route } = watchedRoute({ image: {} })
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        controller.error(new Error("reset"))
      },
    })
    const request = toRequest(query, stream, { duplex: "half" } as RequestInit)
    const problem = await refused(await handlerOf({ a: route })(request), "BAD_REQUEST", 400)
    expect(problem.detail).toContain("broke off")
    nothingHappened(ran)
  })

  test("a body that something in front has read already names the fix", async () => {
    const { ran, route } = watchedRoute({ image: {} })
    const request = uploadRequest("a", { files })
    await request.text()
    const problem = await refused(await handlerOf({ a: route })(request), "INVALID_CONFIG", 500)
    expect(problem.detail).toContain("before the code that reads bodies")
    nothingHappened(ran)
  })

  test("many mistakes are told at once, but not all of a thousand", async () => {
    const { route } = watchedRoute({ image: {} })
    const wrong = Array.from({ length: 50 }, () => ({ name: "", size: -1, type: "image/png" }))
    const { detail } = await refused(
      await handlerOf({ a: route })(uploadRequest("a", { files: wrong })),
      "BAD_REQUEST",
      400,
    )
    expect(detail).toContain("files[0].name")
    expect(detail).toContain("files[0].size")
    expect(detail).toMatch(/And \d+ more\.$/)
    expect(detail.length).toBeLessThan(1000)
  })
})

describe("a route's limits are held before any user code and any registration", () => {
  const config = {
    image: { maxFileSize: "1KB", maxFileCount: 3, minFileCount: 2 },
    "image/gif": { maxFileSize: "2KB" },
    pdf: { maxFileSize: "1.5KB" },
  } as const
  const image = (size: number, name = "a.png") => ({ name, size, type: "image/png" })
  const gif = (size: number) => ({ name: "a.gif", size, type: "image/gif" })
  const pdf = (size: number) => ({ name: "a.pdf", size, type: "application/pdf" })

  test.each([
    [
      "a type that no kind covers",
      [{ ...png, type: "text/html" }],
      "FILE_TYPE_NOT_ALLOWED",
      415,
      /"cat\.png" is of type text\/html; route "a" takes image, image\/gif, pdf/,
    ],
    ["a type by its extension", [{ name: "a.exe", size: 1, type: "" }], "FILE_TYPE_NOT_ALLOWED", 415, /"a\.exe"/],
    [
      "one byte too many",
      [image(1024), image(1025, "b.png")],
      "FILE_TOO_LARGE",
      413,
      /"b\.png" has 1KB \(1025 bytes\); route "a" takes at most 1KB per image file/,
    ],
    ["one byte too many of an exact type", [gif(2049)], "FILE_TOO_LARGE", 413, /at most 2KB per image\/gif file/],
    ["one byte too many of a fraction", [pdf(1537)], "FILE_TOO_LARGE", 413, /1\.5KB per pdf/],
    [
      "too many",
      [1, 2, 3, 4].map((i) => image(i)),
      "TOO_MANY_FILES",
      400,
      /4 image files chosen; route "a" takes at most 3/,
    ],
    ["too few", [image(1)], "TOO_FEW_FILES", 400, /1 image file chosen; route "a" takes at least 2/],
    ["too many of an exact type", [gif(1), gif(1)], "TOO_MANY_FILES", 400, /2 image\/gif files chosen/],
  ] as const)("%s", async (_, files, code, status, detail) => {
    const { ran, route } = watchedRoute(config)
    const problem = await refused(await handlerOf({ a: route })(uploadRequest("a", { files })), code, status)
    expect(problem.detail).toMatch(detail)
    nothingHappened(ran)
  })

  test("everything at its limit is taken: an exact type is not counted as its category", async () => {
    const { route } = watchedRoute(config)
    const files = [image(1024), image(1), image(1), gif(2048), pdf(1536)]
    expect(await presigned(await handlerOf({ a: route })(uploadRequest("a", { files })))).toHaveLength(5)
  })

  test.each(["image", "image/png", "video", "audio", "pdf", "application/pdf"] as const)(
    "a file without a byte is none of %s",
    async (kind) => {
      const { ran, route } = watchedRoute({ [kind]: {} })
      const type = { image: "image/png", video: "video/mp4", audio: "audio/mpeg", pdf: "application/pdf" }[
        kind as "pdf"
      ]
      // Also where the client names no type.
      for (const given of [type ?? kind, ""]) {
        const extension = (type ?? kind).split("/")[1]!.replace("mpeg", "mp3")
        const files = [{ name: `a.${extension}`, size: 0, type: given }]
        const problem = await refused(
          await handlerOf({ a: route })(uploadRequest("a", { files })),
          "FILE_TYPE_NOT_ALLOWED",
          415,
        )
        expect(problem.detail).toBe(
          `"a.${extension}" is empty (0 bytes), so it is not a valid ${kind} file. Choose another one.`,
        )
      }
      nothingHappened(ran)
    },
  )

  test.each(["text", "blob", "application/zip"] as const)("a file without a byte may be one of %s", async (kind) => {
    const { route } = watchedRoute({ [kind]: {} })
    const type = { text: "text/plain", blob: "image/png" }[kind as "text"] ?? kind
    const files = [{ name: "a", size: 0, type }]
    expect(await presigned(await handlerOf({ a: route })(uploadRequest("a", { files })))).toHaveLength(1)
  })

  test("a kind nothing was chosen of has no minimum", async () => {
    const { route } = watchedRoute(config)
    expect(await presigned(await handlerOf({ a: route })(uploadRequest("a", { files: [pdf(1)] })))).toHaveLength(1)
  })

  test("blob takes what nothing else does, whatever the order in the config", async () => {
    const { route } = watchedRoute({ blob: { maxFileSize: "1B" }, image: { maxFileSize: "1KB" } })
    await presigned(await handlerOf({ a: route })(uploadRequest("a", { files: [image(1024)] })))
    await refused(await handlerOf({ a: route })(uploadRequest("a", { files: [pdf(2)] })), "FILE_TOO_LARGE", 413)
  })
})

describe("an address that is none", () => {
  const { ran, route } = watchedRoute({ image: {} })
  const handle = handlerOf({ avatar: route, other: route })

  test.each(["__proto__", "constructor", "toString", "hasOwnProperty", "Avatar", "avatar ", "", "1"])(
    "the slug %j is no route",
    async (slug) => {
      for (const request of [uploadRequest(slug, { files }), renewRequest(slug, { urls: ["x"] })]) {
        const problem = await refused(await handle(request), "ROUTE_NOT_FOUND", 404)
        expect(problem.detail).toContain(JSON.stringify(slug))
        expect(problem.detail).toContain("avatar, other")
      }
      nothingHappened(ran)
    },
  )

  test.each([
    ["no slug", "?actionType=upload", /no slug/],
    ["no action", "?slug=avatar", /actionType must be upload or renew, not null/],
    ["an unknown action", "?actionType=delete&slug=avatar", /not "delete"/],
    ["an action in other letters", "?actionType=Upload&slug=avatar", /not "Upload"/],
    ["an inherited action", "?actionType=constructor&slug=avatar", /not "constructor"/],
  ])("%s is a bad request", async (_, query, detail) => {
    const problem = await refused(await handle(toRequest(query, body)), "BAD_REQUEST", 400)
    expect(problem.detail).toMatch(detail)
    nothingHappened(ran)
  })

  test.each(["PUT", "DELETE", "PATCH", "HEAD", "OPTIONS", "PROPFIND"])(
    "%s is not allowed, and told what is",
    async (method) => {
      const response = await handle(new Request(`${appUrl}${query}`, { method }))
      expect(response.headers.get("allow")).toBe("GET, POST")
      await refused(response, "METHOD_NOT_ALLOWED", 405)
      nothingHappened(ran)
    },
  )
})

describe("the input", () => {
  const upload = (input: unknown, schema: Parameters<ReturnType<typeof f>["input"]>[0]) => {
    const ran: Array<unknown> = []
    const route = f({ image: {} })
      .input(schema)
      .middleware(({ input }) => void ran.push(input))
      .onUploadComplete(() => 1)
    return { ran, response: handlerOf({ a: route })(uploadRequest("a", { files, input })) }
  }
  const schema = z.object({ album: z.string().min(3), tags: z.array(z.string()) })

  test("that the schema refuses is told by path, before the middleware and any registration", async () => {
    const { ran, response } = upload({ album: "x", tags: ["a", 1] }, schema)
    const problem = await refused(await response, "INVALID_INPUT", 400)
    expect(problem.detail).toMatch(/input\.album: .*; input\.tags\.1: /)
    nothingHappened(ran as Array<string>)
  })

  test("that is missing is told as the schema's own", async () => {
    const { ran, response } = upload(undefined, schema)
    const problem = await refused(await response, "INVALID_INPUT", 400)
    expect(problem.detail).toMatch(/^input: /)
    nothingHappened(ran as Array<string>)
  })

  test("reaches the middleware as the schema's output", async () => {
    const { ran, response } = upload(
      "2026-01-01",
      z.string().transform((text) => new Date(text)),
    )
    await presigned(await response)
    expect(ran).toEqual([new Date("2026-01-01")])
  })

  test("may be validated asynchronously", async () => {
    const slow = z.string().refine(async (text) => text !== "taken", "is taken")
    await presigned(await upload("free", slow).response)
    const problem = await refused(await upload("taken", slow).response, "INVALID_INPUT", 400)
    expect(problem.detail).toBe("input: is taken")
  })

  test("a validator that throws is an opaque 500", async () => {
    const { ran, response } = upload(
      "x",
      z.string().refine(() => {
        throw new Error("hunter2")
      }),
    )
    const problem = await refused(await response, "ROUTE_FAILED", 500)
    expect(problem.detail).not.toContain("hunter2")
    nothingHappened(ran as Array<string>)
  })

  test("with __proto__ in it pollutes nothing", async () => {
    const route = f({ image: {} })
      .input(z.looseObject({}))
      .middleware(({ input }) => ({ isAdmin: (input as { isAdmin?: boolean }).isAdmin ?? false }))
      .onUploadComplete(() => 1)
    const body = `{"files":${JSON.stringify(files)},"input":{"__proto__":{"isAdmin":true}},"__proto__":{"input":1}}`
    await presigned(await handlerOf({ a: route })(toRequest(query, body)))
    expect(JSON.parse(ingest.registrations[0]!.text).metadata).toEqual({ isAdmin: false })
    expect(({} as { isAdmin?: boolean }).isAdmin).toBeUndefined()
  })
})
