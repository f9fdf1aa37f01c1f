import { createHash } from "node:crypto"
import { openAsBlob } from "node:fs"
import { mkdtemp, rm, truncate, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { pathToFileURL } from "node:url"
import { describe, expect, onTestFinished, test, vi } from "vitest"
import {
  type ServerUploadOptions,
  type ServerUploadProgress,
  SluiceApi,
  SluiceFile,
  UploadError,
  type UploadInput,
} from "../../src/api.ts"
import { encodedAppId, listen, randomContent, startIngest, token } from "../ingest/circle.ts"

const sha256 = (bytes: Uint8Array | string): string => createHash("sha256").update(bytes).digest("hex")

const start = async () => {
  const ingest = await startIngest()
  return { ingest, api: new SluiceApi({ token, ingestUrl: ingest.url }) }
}

const folder = async (): Promise<string> => {
  const path = await mkdtemp(join(tmpdir(), "api-"))
  onTestFinished(() => rm(path, { recursive: true }))
  return path
}

const streamOf = (bytes: Uint8Array) => (at: number) => new Blob([bytes.subarray(at) as BlobPart]).stream()

describe("what is uploaded", () => {
  test("a file: one in, one out, and it can be read", async () => {
    const { api, ingest } = await start()
    const { data, error } = await api.uploadFiles(new File(["hello"], "hello.txt", { type: "text/plain" }))
    expect(error).toBeNull()
    expect(data).toEqual({
      key: expect.stringMatching(new RegExp(`^${encodedAppId}[\\w-]{22}$`)),
      name: "hello.txt",
      size: 5,
      type: "text/plain",
      customId: null,
      url: `${ingest.url}/f/${data?.key}`,
      fileHash: sha256("hello"),
      uploadedAt: expect.any(Number),
    })
    expect(await (await fetch(data!.url)).text()).toBe("hello")
  })

  test("everything there is, in its order", async () => {
    const { api } = await start()
    const path = join(await folder(), "from-disk.md")
    await writeFile(path, "# disk")
    const bytes = randomContent(300_000)
    const results = await api.uploadFiles([
      new File(["a"], "a.txt", { type: "text/plain;charset=utf-8" }),
      Object.assign(new Blob(["b"]), { name: "b.css", customId: "b-7" }),
      new SluiceFile(["c", new Uint8Array([33]), new Blob(["!"]), new ArrayBuffer(1)], "c.json", { customId: "c-7" }),
      { path },
      { path: pathToFileURL(path), name: "named.txt", type: "text/plain", customId: "d-7" },
      { stream: streamOf(bytes), size: bytes.length, name: "stream.bin", customId: "e-7" },
      new File([], "empty"),
    ])
    expect(results.map(({ error }) => error)).toEqual(results.map(() => null))
    expect(results.map(({ data }) => [data?.name, data?.type, data?.customId, data?.fileHash])).toEqual([
      ["a.txt", "text/plain;charset=utf-8", null, sha256("a")],
      ["b.css", "text/css", "b-7", sha256("b")],
      ["c.json", "application/json", "c-7", sha256("c!!\0")],
      ["from-disk.md", "text/markdown", null, sha256("# disk")],
      ["named.txt", "text/plain", "d-7", sha256("# disk")],
      ["stream.bin", "application/octet-stream", "e-7", sha256(bytes)],
      ["empty", "application/octet-stream", null, sha256("")],
    ])
  })

  test("no files are no results", async () => {
    const { api } = await start()
    expect(await api.uploadFiles([])).toEqual([])
    expect(await api.uploadFiles(new Set<UploadInput>())).toEqual([])
  })

  test("acl, cache and contentDisposition are the options', where a file says nothing else", async () => {
    const { api, ingest } = await start()
    const results = await api.uploadFiles(
      [
        new File(["x"], "x"),
        new SluiceFile(["y"], "y", { acl: "public-read", contentDisposition: "inline", cache: "revalidate" }),
        { stream: streamOf(new Uint8Array(1)), size: 1, name: "z", acl: "public-read" },
      ],
      { acl: "private", contentDisposition: "attachment", cache: "immutable" },
    )
    const files = await Promise.all(results.map(async ({ data }) => (await ingest.catalog.get(data!.key))?.file))
    expect(files.map((file) => [file?.acl, file?.contentDisposition, file?.cache])).toEqual([
      ["private", "attachment", "immutable"],
      ["public-read", "inline", "revalidate"],
      ["public-read", "attachment", "immutable"],
    ])
  })

  test("a disk's file is closed afterwards, and also when it is refused", async () => {
    const { api } = await start()
    const path = join(await folder(), "x.png")
    await writeFile(path, "MZ\x90\0 an executable's first bytes, which are no picture".padEnd(5000, "\0"))
    const { readdir, readlink } = await import("node:fs/promises")
    const { error } = await api.uploadFiles({ path })
    expect(error).toMatchObject({ code: "CONTENT_MISMATCH" })
    const links = await Promise.all(
      (await readdir("/proc/self/fd").catch(() => [])).map((fd) => readlink(`/proc/self/fd/${fd}`).catch(() => "")),
    )
    expect(links.filter((link) => link.endsWith("x.png"))).toEqual([])
  })
})

describe("what is refused before anything is sent", () => {
  const refusals: Array<[string, unknown, string, RegExp]> = [
    ["a path without a file", { path: "/no/such/file.txt" }, "NOT_FOUND", /\/no\/such\/file\.txt/],
    [
      "a URL that is no file's",
      { path: new URL("http://x.test/y") },
      "BAD_REQUEST",
      /http:\/\/x\.test\/y cannot be read/,
    ],
    ["a folder", { path: tmpdir() }, "BAD_REQUEST", /cannot be read: it is not a regular file/],
    ["a Blob without a name", new Blob(["x"]), "BAD_REQUEST", /new SluiceFile\(\[blob\]/],
    ["a bare stream", new Blob(["x"]).stream(), "BAD_REQUEST", /no size.*\{ stream: \(\) => stream, size, name \}/],
    ["a stream without a size", { stream: streamOf(new Uint8Array()), name: "s" }, "BAD_REQUEST", /"s" has no size/],
    [
      "a size that is none",
      { stream: streamOf(new Uint8Array()), name: "s", size: 1.5 },
      "BAD_REQUEST",
      /"s".*whole bytes/,
    ],
    ["no name", new File(["x"], ""), "BAD_REQUEST", /a file name that is not empty/],
    ["a name too long", new File(["x"], `${"ä".repeat(600)}.txt`), "BAD_REQUEST", /^"ää.*at most 1024 bytes/],
    ["a name with a NUL", new File(["x"], "a\0b"), "BAD_REQUEST", /without NUL/],
    [
      "a lone surrogate",
      { stream: streamOf(new Uint8Array()), size: 0, name: "a\ud800" },
      "BAD_REQUEST",
      /whole Unicode/,
    ],
    [
      "a custom id too long",
      new SluiceFile(["x"], "x.txt", { customId: "7".repeat(513) }),
      "BAD_REQUEST",
      /^"x\.txt".*1 to 512 bytes/,
    ],
    [
      "an empty custom id",
      new SluiceFile(["x"], "x.txt", { customId: "" }),
      "BAD_REQUEST",
      /^"x\.txt".*1 to 512 bytes/,
    ],
    [
      "a custom id that is a number",
      Object.assign(new File(["x"], "x"), { customId: 7 }),
      "BAD_REQUEST",
      /a string, not number/,
    ],
    ["another acl", Object.assign(new File(["x"], "x"), { acl: "public" }), "BAD_REQUEST", /public-read or private/],
    [
      "another cache rule",
      Object.assign(new File(["x"], "x"), { cache: "forever" }),
      "BAD_REQUEST",
      /revalidate or immutable/,
    ],
    [
      "another disposition",
      Object.assign(new File(["x"], "x"), { contentDisposition: "x&slug=y" }),
      "BAD_REQUEST",
      /inline or attachment/,
    ],
    [
      "an option of a Blob that does not exist",
      Object.assign(new Blob(["x"]), { name: "b.txt", acls: "private" }),
      "INVALID_CONFIG",
      /no option "acls"\. The nearest is acl/,
    ],
    [
      "one of a File",
      Object.assign(new File(["x"], "b.txt"), { customID: "7" }),
      "INVALID_CONFIG",
      /no option "customID"\. The nearest is customId/,
    ],
    [
      "one that a SluiceFile was given later",
      Object.assign(new SluiceFile(["x"], "b.txt"), { acls: "private" }),
      "INVALID_CONFIG",
      /no option "acls"/,
    ],
    [
      "one of an object that can be cut",
      { name: "b.txt", size: 1, type: "", slice: () => new Blob(["x"]), acls: "private" },
      "INVALID_CONFIG",
      /no option "acls"/,
    ],
    ["a string", "photo.jpg", "BAD_REQUEST", /A string is not a file/],
    ["bytes", new Uint8Array(5), "BAD_REQUEST", /An array of bytes is not a file/],
    ["nothing", null, "BAD_REQUEST", /not a file/],
    ["a number", 7, "BAD_REQUEST", /not a file/],
  ]
  test.each(refusals)("%s, and the other files go on", async (_, input, code, message) => {
    const { api, ingest } = await start()
    const one = await api.uploadFiles(input as UploadInput)
    expect(one.data).toBeNull()
    expect(one.error).toBeInstanceOf(UploadError)
    expect(one.error).toMatchObject({ code, message: expect.stringMatching(message) })
    const [first, second] = await api.uploadFiles([input as UploadInput, new File(["y"], "y.txt")])
    expect(first).toEqual(one)
    expect(second?.data?.fileHash).toBe(sha256("y"))
    expect((await ingest.catalog.list({ limit: 10 })).map(({ name }) => name)).toEqual(["y.txt"])
  })

  test("but not what runtimes and the classes of others give their files", async () => {
    class OwnFile extends File {
      readonly owner = "7"
    }
    const { api } = await start()
    const form = new FormData()
    form.append("file", new Blob(["x"]), "form.txt")
    const files = [
      new OwnFile(["x"], "own.txt"),
      Object.assign(new Blob(["x"]), { name: "blob.txt", lastModified: 5, webkitRelativePath: "a/blob.txt" }),
      ...[await openAsBlob(import.meta.filename), new Blob(["abc"]).slice(1), structuredClone(new Blob(["x"]))].map(
        (blob) => Object.assign(blob, { name: "x.txt" }),
      ),
      (await new Response(form).formData()).get("file") as File,
    ]
    const results = await api.uploadFiles(files)
    expect(results.map(({ error }) => error)).toEqual(files.map(() => null))
  })

  test.each<[string, ServerUploadOptions]>([
    ["concurrency", { concurrency: 0 }],
    ["concurrency", { concurrency: 1.5 }],
    ["expiresIn", { expiresIn: -5 }],
    ["expiresIn", { expiresIn: "soon" as "5s" }],
  ])("an option %s that makes no sense rejects", async (name, options) => {
    const { api } = await start()
    const message = expect.stringContaining(name)
    await expect(api.uploadFiles([], options)).rejects.toMatchObject({ code: "INVALID_CONFIG", message })
  })
})

describe("while it goes on", () => {
  test("no more files are open than concurrency allows", async () => {
    const { api } = await start()
    let open = 0
    let most = 0
    const inputs = Array.from({ length: 12 }, (_, i) => ({
      name: `${i}.bin`,
      size: 100_000,
      stream: (at: number) => {
        most = Math.max(most, ++open)
        const stream = streamOf(new Uint8Array(100_000))(at)
        return stream.pipeThrough(new TransformStream({ flush: () => void open-- }))
      },
    }))
    for (const [options, limit] of [
      [{ concurrency: 2 }, 2],
      [{}, 6],
    ] as const) {
      most = 0
      const results = await api.uploadFiles(inputs, options)
      expect(results.filter(({ error }) => error !== null)).toEqual([])
      expect(most).toBe(limit)
    }
  })

  test("progress is of each file and of all, and ends at 100", async () => {
    const { api } = await start()
    const path = join(await folder(), "disk.bin")
    await writeFile(path, randomContent(2_000_000))
    const events: Array<ServerUploadProgress> = []
    const results = await api.uploadFiles(
      [{ path }, new File([randomContent(1_000_000)], "file.bin"), new File([], "empty")],
      { concurrency: 1, onUploadProgress: (event) => void events.push(event) },
    )
    expect(results.map(({ error }) => error)).toEqual([null, null, null])
    for (const index of [0, 1, 2]) {
      const own = events.filter((event) => event.index === index)
      expect(own.map(({ loaded }) => loaded)).toEqual(own.map(({ loaded }) => loaded).toSorted((a, b) => a - b))
      expect(own.reduce((sum, { delta }) => sum + delta, 0)).toBe([2_000_000, 1_000_000, 0][index])
      expect(own.filter(({ progress }) => progress === 100)).toEqual([own.at(-1)])
      expect(own.length).toBeGreaterThan([2, 0, 0][index]!)
    }
    expect(events.at(-1)).toEqual({
      index: 2,
      name: "empty",
      size: 0,
      loaded: 0,
      delta: 0,
      progress: 100,
      totalLoaded: 3_000_000,
      totalSize: 3_000_000,
      totalProgress: 100,
    })
    expect(events.slice(0, -1).every(({ totalProgress }) => totalProgress! < 100)).toBe(true)
  })

  test("totals are unknown until the size of each file is", async () => {
    const { api } = await start()
    const path = join(await folder(), "disk.bin")
    await writeFile(path, "xyz")
    const totals: Array<number | undefined> = []
    await api.uploadFiles([new File(["ab"], "ab"), { path }], {
      concurrency: 1,
      onUploadProgress: ({ totalSize }) => void totals.push(totalSize),
    })
    expect([totals[0], totals.at(-1)]).toEqual([undefined, 5])
    totals.length = 0
    await api.uploadFiles([new File(["ab"], "ab"), { path: "/no/such/file" }, { path }], {
      concurrency: 1,
      onUploadProgress: ({ totalSize }) => void totals.push(totalSize),
    })
    expect([totals[0], totals.at(-1)]).toEqual([undefined, 5])
  })

  test("a listener that throws does not touch the upload, and is logged", async () => {
    const error = vi.spyOn(console, "error").mockImplementation(() => {})
    onTestFinished(() => error.mockRestore())
    const { api } = await start()
    const result = await api.uploadFiles(new File(["x"], "x"), {
      onUploadProgress: () => {
        throw new Error("mine")
      },
    })
    expect(result.error).toBeNull()
    expect(error.mock.calls.flat().join()).toMatch(/onUploadProgress threw.*mine/s)
  })

  test("a signal ends what has not ended, at once, and is told apart from failure", async () => {
    const { api } = await start()
    const controller = new AbortController()
    let cancelled = 0
    const endless = (name: string) => ({
      name,
      size: 2 ** 30,
      stream: () =>
        new ReadableStream<Uint8Array>({ cancel: () => void cancelled++, pull: () => new Promise(() => {}) }),
    })
    let opened = 0
    const never = { name: "later", size: 1, stream: () => (opened++, new Blob(["x"]).stream()) }
    const results = api.uploadFiles([new File(["x"], "x"), endless("a"), endless("b"), never], {
      concurrency: 2,
      signal: controller.signal,
      onUploadProgress: ({ name, progress }) => {
        if (name === "x" && progress === 100) setTimeout(() => controller.abort("enough"), 50)
      },
    })
    const [x, ...others] = await results
    expect(x?.error).toBeNull()
    for (const { data, error } of others) {
      expect(data).toBeNull()
      expect(error).toMatchObject({ code: "ABORTED", cause: "enough" })
    }
    expect(opened).toBe(0)
    const before = await api.uploadFiles([never], { signal: AbortSignal.abort() })
    expect(before[0]?.error).toMatchObject({ code: "ABORTED" })
    expect(opened).toBe(0)
  })

  test("a disk's file that shrinks meanwhile is SIZE_MISMATCH", async () => {
    const { api } = await start()
    const path = join(await folder(), "log.bin")
    await writeFile(path, randomContent(4_000_000))
    let isCut = false
    const { error } = await api.uploadFiles(
      { path },
      {
        onUploadProgress: () => {
          if (!isCut) void truncate(path, 1000)
          isCut = true
        },
      },
    )
    expect(error).toMatchObject({ code: "SIZE_MISMATCH", message: expect.stringContaining("log.bin") })
  })

  test("a stream that fails is that file's error", async () => {
    const { api } = await start()
    const cause = new UploadError({ code: "FORBIDDEN", message: "Not this one." })
    const results = await api.uploadFiles([
      { name: "a", size: 5, stream: () => Promise.reject(cause) },
      new File(["b"], "b"),
      {
        name: "c",
        size: 5,
        stream: () => {
          throw new TypeError("mine")
        },
      },
    ])
    expect(results[0]?.error).toBe(cause)
    expect(results[1]?.error).toBeNull()
    const message = expect.stringContaining('"c"')
    expect(results[2]?.error).toMatchObject({ code: "INTERNAL_ERROR", message, cause: { message: "mine" } })
  })
})

describe("what is not an ingest", () => {
  test("is said to be none", async () => {
    const url = await listen((request, response) => {
      request.resume().on("end", () => response.end("<h1>Log in</h1>"))
    })
    const api = new SluiceApi({ token, ingestUrl: url })
    const { error } = await api.uploadFiles(new File(["x"], "x"))
    expect(error).toMatchObject({
      code: "INVALID_CONFIG",
      message: expect.stringContaining(`${url} is not a Sluice ingest`),
    })
  })
})
