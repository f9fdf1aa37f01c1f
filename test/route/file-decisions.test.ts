import { describe, expect, test } from "vitest"
import { z } from "zod"
import type { FileDecision } from "../../src/route/builder/user-code-arguments.ts"
import { createSluice, type RouteOptions } from "../../src/server.ts"
import { encodedAppId } from "./app-token.ts"
import { grantOf, handlerOf, png, presigned, refused, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"

const ingest = useMockIngest()
useConsoleLines()

const f = createSluice()
const anything = (options: RouteOptions = {}) => f({ blob: { maxFileCount: 10 } }, options)

describe("the media type of a file", () => {
  const settle = async (name: string, type: string) => {
    const router = { a: anything().onUploadComplete(() => 1) }
    const [upload] = await presigned(await handlerOf(router)(uploadRequest("a", { files: [{ name, size: 1, type }] })))
    return (await grantOf(upload!.url)).type
  }

  test.each([
    ["the client's, where it is one", "a.png", "text/plain", "text/plain"],
    ["lower-case and without parameters", "a", "Text/HTML; charset=utf-8", "text/html"],
    ["looked up by the extension, where the client has none", "report.PDF", "", "application/pdf"],
    ["looked up by the extension, where the client's is none", "a.mp4", "image", "video/mp4"],
    ["looked up by the last extension", "a.tar.gz", "", "application/gzip"],
    ["octet-stream, where the extension is unknown", "a.unheard-of", "", "application/octet-stream"],
    ["octet-stream, where there is no extension", "png", "", "application/octet-stream"],
    ["octet-stream for a dot file", ".png", "", "application/octet-stream"],
  ])("is %s", async (_, name, type, expected) => {
    expect(await settle(name, type)).toBe(expected)
  })

  test("is settled before limits and user code see the file", async () => {
    const seen: Array<unknown> = []
    const router = {
      a: f(["pdf"])
        .middleware(({ files }) => void seen.push(files))
        .onUploadComplete(() => 1),
    }
    await presigned(await handlerOf(router)(uploadRequest("a", { files: [{ name: "a.pdf", size: 5, type: "" }] })))
    expect(seen).toEqual([[{ name: "a.pdf", size: 5, type: "application/pdf" }]])
    await refused(
      await handlerOf(router)(uploadRequest("a", { files: [{ name: "a.exe", size: 5, type: "pdf" }] })),
      "FILE_TYPE_NOT_ALLOWED",
      415,
    )
  })
})

describe("odd names", () => {
  test.each([
    "ünï cödé (1) & #?+%.pdf",
    "👩‍👩‍👧 family.png",
    "..",
    "../../etc/passwd",
    "a\\b:c*?.txt",
    "new\nline\r\u001b[2J",
    "%2e%2e%00",
    "signature=hmac-sha256",
    "&x-sluice-file-size=0&expires=9",
    " ",
    "é".repeat(512),
  ])("%j survives, signed", async (name) => {
    const router = { a: anything().onUploadComplete(() => 1) }
    const [upload] = await presigned(
      await handlerOf(router)(uploadRequest("a", { files: [{ name, size: 3, type: "text/plain" }] })),
    )
    expect(upload!.name).toBe(name)
    expect(await grantOf(upload!.url)).toMatchObject({ name, size: 3, key: upload!.key })
  })

  test.each([
    ["none", ""],
    ["a NUL", "a\0.png"],
    ["half a character", "a\ud800.png"],
    ["1,025 bytes", `${"é".repeat(512)}a`],
  ])("a name with %s is refused", async (_, name) => {
    const router = { a: anything().onUploadComplete(() => 1) }
    const problem = await refused(
      await handlerOf(router)(uploadRequest("a", { files: [{ name, size: 3, type: "text/plain" }] })),
      "BAD_REQUEST",
      400,
    )
    expect(problem.detail).toContain("files[0].name")
    expect(ingest.registrations).toEqual([])
  })
})

describe("fileKeySeed", () => {
  const keyWith = async (fileKeySeed: () => string) => {
    const [upload] = await presigned(
      await handlerOf({ a: anything({ fileKeySeed }).onUploadComplete(() => 1) })(uploadRequest("a", { files: [png] })),
    )
    return upload!.key
  }

  test("the same seed gives the same key, as it stands where it is URL-safe", async () => {
    expect(await keyWith(() => "user-7_avatar")).toBe(`${encodedAppId}user-7_avatar`)
    expect(await keyWith(() => "user-7_avatar")).toBe(`${encodedAppId}user-7_avatar`)
  })

  test("any other seed becomes base64url", async () => {
    expect(await keyWith(() => "ü/7?")).toBe(`${encodedAppId}${Buffer.from("ü/7?").toString("base64url")}`)
  })

  test.each([
    ["empty", ""],
    ["too long for a key", "x".repeat(600)],
    ["a promise, the same for every file", Promise.resolve("a") as never],
  ])("a seed that is %s is the app's mistake, and nothing is registered", async (_, seed) => {
    const router = { a: anything({ fileKeySeed: () => seed }).onUploadComplete(() => 1) }
    const problem = await refused(await handlerOf(router)(uploadRequest("a", { files: [png] })), "INVALID_CONFIG", 500)
    expect(problem.detail).toMatch(/Route "a": fileKeySeed/)
    expect(ingest.registrations).toEqual([])
  })

  test("is made of the file, the input and what the middleware returned", async () => {
    const seen: Array<unknown> = []
    const config = { image: { maxFileCount: 2 } } as const
    const router = {
      a: f(config, {
        fileKeySeed: (file, args) => {
          seen.push(args)
          return `${(args.metadata as { userId: number }).userId}-${file.name}`
        },
      })
        .input(z.string())
        .middleware(() => ({ userId: 7 }))
        .onUploadComplete(() => 1),
      b: f(config)
        .input(z.string())
        .middleware(() => ({ userId: 7 }))
        .file(({ file, input, metadata }) => ({ keySeed: `${metadata.userId}-${input.toUpperCase()}-${file.name}` }))
        .onUploadComplete(() => 1),
    }
    const keysOf = async (slug: string) => {
      const uploads = await presigned(await handlerOf(router)(uploadRequest(slug, { files: [png], input: "in" })))
      return uploads.map(({ key }) => key.slice(encodedAppId.length))
    }
    const [a, b] = [await keysOf("a"), await keysOf("b")]
    const encoded = (seed: string) => [Buffer.from(seed).toString("base64url")]
    expect([a, b]).toEqual([encoded("7-cat.png"), encoded("7-IN-cat.png")])
    expect(seen).toEqual([{ input: "in", metadata: { userId: 7 } }])
  })

  test("without it keys are random", async () => {
    const handle = handlerOf({ a: anything().onUploadComplete(() => 1) })
    const keys = await Promise.all(
      Array.from({ length: 20 }, async () => {
        const [upload] = await presigned(await handle(uploadRequest("a", { files: [png] })))
        return upload!.key
      }),
    )
    expect(new Set(keys).size).toBe(20)
    for (const key of keys) expect(key.slice(encodedAppId.length)).toMatch(/^[A-Za-z0-9_-]{22}$/)
  })
})

describe(".file()", () => {
  test("decides name and custom id of each file, from what it came with", async () => {
    const seen: Array<unknown> = []
    const router = {
      a: anything()
        .input(z.object({ folder: z.string() }))
        .middleware(() => ({ userId: 7 }))
        .file(async ({ file, input, metadata }) => {
          seen.push({ file, input, metadata })
          if (file.name === "keep.png") return
          return { name: `${input.folder}/${file.name}`, customId: `${metadata.userId}:${file.name}` }
        })
        .onUploadComplete(() => 1),
    }
    const files = [png, { ...png, name: "keep.png" }]
    const uploads = await presigned(await handlerOf(router)(uploadRequest("a", { files, input: { folder: "in" } })))
    expect(uploads.map(({ name, customId }) => ({ name, customId }))).toEqual([
      { name: "in/cat.png", customId: "7:cat.png" },
      { name: "keep.png", customId: null },
    ])
    const grants = await Promise.all(uploads.map(({ url }) => grantOf(url)))
    expect(grants.map(({ name, customId }) => ({ name, customId }))).toEqual([
      { name: "in/cat.png", customId: "7:cat.png" },
      { name: "keep.png", customId: undefined },
    ])
    const rest = { input: { folder: "in" }, metadata: { userId: 7 } }
    expect(seen).toEqual(files.map((file) => ({ file, ...rest })))
  })

  test("without a middleware its metadata is an empty object, as in the callbacks", async () => {
    const seen: Array<unknown> = []
    const router = {
      a: anything()
        .file(({ metadata }) => void seen.push(metadata))
        .onUploadComplete(() => 1),
    }
    await presigned(await handlerOf(router)(uploadRequest("a", { files: [png] })))
    expect(seen).toEqual([{}])
  })

  test.each([
    ["an empty name", { name: "" }, /must return a file name that is not empty/],
    ["a name that is too long", { name: "é".repeat(513) }, /must return a file name of at most 1024 bytes/],
    ["a name with a NUL", { name: "a\0" }, /must return a file name without NUL/],
    ["a name of half a character", { name: "a\ud800" }, /must return a file name of whole Unicode characters/],
    ["an empty custom id", { customId: "" }, /must return a custom id of 1 to 512 bytes/],
    ["a custom id that is too long", { customId: "x".repeat(513) }, /must return a custom id of 1 to 512 bytes/],
    ["a custom id that is null", { customId: null as never }, /must return a text\./],
    ["a name that is a number", { name: 7 as never }, /must return a text\./],
    ["a path that is a list", { path: ["a"] as never }, /must return a text\./],
    ["a seed that is a number", { keySeed: 7 as never }, /keySeed must be a text\./],
  ])("%s is the app's mistake, and nothing is registered", async (_, decision, detail) => {
    const router = {
      a: anything()
        .file(() => decision)
        .onUploadComplete(() => 1),
    }
    const problem = await refused(await handlerOf(router)(uploadRequest("a", { files: [png] })), "INVALID_CONFIG", 500)
    expect(problem.detail).toMatch(detail)
    expect(ingest.registrations).toEqual([])
  })
})

describe("a name that does not fit into what the app makes of it", () => {
  test.each<[string, string, (name: string) => FileDecision, RegExp]>([
    ["backslash, in a path", "a\\b.png", (name) => ({ path: `photos/${name}` }), /a path without backslashes/],
    ["line break, in a path", "a\nb.png", (name) => ({ path: `photos/${name}` }), /control characters/],
    ["two dots, in a path", "../../b.png", (name) => ({ path: `photos/${name}` }), /relative path/],
    ["1,024 bytes, in a path", `${"ä".repeat(510)}.png`, (name) => ({ path: `photos/${name}` }), /at most 1024 bytes/],
    ["1,024 bytes, in a name", `${"ä".repeat(510)}.png`, (name) => ({ name: `copy of ${name}` }), /at most 1024 bytes/],
    [
      "600 bytes, as a custom id",
      `${"x".repeat(600)}.png`,
      (name) => ({ customId: name }),
      /custom id of 1 to 512 bytes/,
    ],
    ["600 bytes, as a seed", `${"x".repeat(600)}.png`, (name) => ({ keySeed: `u7/${name}` }), /1 to about 380/],
  ])("is the user's to change: %s", async (_, name, decide, detail) => {
    const router = {
      a: anything()
        .file(({ file }) => decide(file.name))
        .onUploadComplete(() => 1),
    }
    const handle = handlerOf(router)
    const problem = await refused(await handle(uploadRequest("a", { files: [{ ...png, name }] })), "BAD_REQUEST", 400)
    expect(problem.detail).toMatch(detail)
    expect(problem.detail).toContain(`The name of ${JSON.stringify(name)} `)
    expect(ingest.registrations).toEqual([])
    // What is wrong whatever the name is stays the app's mistake.
    const broken = {
      a: anything()
        .file(({ file }) => ({ path: `../${file.name}` }))
        .onUploadComplete(() => 1),
    }
    await refused(await handlerOf(broken)(uploadRequest("a", { files: [{ ...png, name }] })), "INVALID_CONFIG", 500)
  })

  test("is the user's to change, too, where it is in a fileKeySeed or in the path of a folder", async () => {
    const name = `${"x".repeat(600)}.png`
    const seeded = { a: anything({ fileKeySeed: ({ name }) => name }).onUploadComplete(() => 1) }
    await refused(await handlerOf(seeded)(uploadRequest("a", { files: [{ ...png, name }] })), "BAD_REQUEST", 400)
    const filed = {
      a: anything()
        .file(({ file }) => ({ path: `photos/${file.path}` }))
        .onUploadComplete(() => 1),
    }
    const path = `${"folder/".repeat(63)}${"ä".repeat(400)}.png`
    await refused(await handlerOf(filed)(uploadRequest("a", { files: [{ ...png, path }] })), "BAD_REQUEST", 400)
  })
})

test.each<[string, unknown]>([
  ["a function that nobody called", () => ({ owner: "u1" })],
  ["a Map", new Map([["owner", "u1"]])],
  ["a list", [{ owner: "u1" }]],
  ["a text", "u1"],
])(
  "what .file() returns decides something or nothing: %s is refused, and nothing is registered",
  async (_, returned) => {
    const router = {
      a: anything()
        .file(() => returned as FileDecision)
        .onUploadComplete(() => 1),
    }
    await refused(await handlerOf(router)(uploadRequest("a", { files: [png] })), "ROUTE_FAILED", 500)
    expect(ingest.registrations).toEqual([])
  },
)

test("two files with the same fileKeySeed are refused by name, and nothing is registered", async () => {
  const handle = handlerOf({
    a: f({ image: { maxFileCount: 3 } }, { fileKeySeed: ({ size }) => String(size) }).onUploadComplete(() => 1),
  })
  const files = [png, { ...png, name: "dog.png", size: 2 }, { ...png, name: "cow.png" }]
  const problem = await refused(await handle(uploadRequest("a", { files })), "BAD_REQUEST", 400)
  expect(problem.detail).toContain('"cat.png" and "cow.png"')
  expect(ingest.registrations).toEqual([])
})
