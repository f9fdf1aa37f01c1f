import { brotliCompressSync, deflateSync, gzipSync } from "node:zlib"
import type { OutgoingHttpHeaders } from "node:http"
import { mkdtemp, readdir, rmdir } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import fc from "fast-check"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { createFetchTransport } from "../../../src/api/from-url/fetch-transport.ts"
import { readFromUrlOptions } from "../../../src/api/from-url/from-url-options.ts"
import { openRemoteFile } from "../../../src/api/from-url/open-remote-file.ts"
import { readRemoteName } from "../../../src/api/from-url/remote-name.ts"
import { limits } from "../../../src/protocol.ts"
import { randomContent } from "../../ingest/circle.ts"
import { local, open, readAll, refusal, startSource } from "./source.ts"

const serve = (headers: OutgoingHttpHeaders, body: string | Uint8Array = "hello", status = 200) =>
  startSource((_, response) => {
    const length = body === "" ? {} : { "content-length": Buffer.byteLength(body) }
    response.writeHead(status, { ...length, ...headers }).end(body)
  })

/** Without its length. */
const serveChunks = (chunks: Iterable<string | Uint8Array>, headers: OutgoingHttpHeaders = {}) =>
  startSource((_, response) => {
    response.writeHead(200, headers)
    for (const chunk of chunks) response.write(chunk)
    response.end()
  })

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "from-url-"))
  vi.stubEnv("TMPDIR", folder)
})
afterEach(async () => {
  vi.unstubAllEnvs()
  // Fails unless it is empty: whatever a test did, nothing of it is left.
  await rmdir(folder)
})

describe("name and type", () => {
  it.each<[string, string, string]>([
    ["/a/photo.jpg?w=100#x", "", "photo.jpg"],
    ["/a/%C3%BCber%20uns.pdf", "", "über uns.pdf"],
    ["/a/100%.txt", "", "100%.txt"],
    ["/a/..%2F..%2Fetc%2Fpasswd", "", "passwd"],
    ["/a/..%5C..%5Cboot.ini", "", "boot.ini"],
    ["/a/b%00%0A%1B.txt", "", "b.txt"],
    ["/", "", "file"],
    ["/a/", "", "file"],
    ["/a/%2E%2E%2F", "", "file"],
    ["/a/%20", "", "file"],
    ["/a", "attachment", "a"],
    ["/a", "attachment; filename=plain.txt", "plain.txt"],
    ["/a", 'inline; filename="two words.txt"', "two words.txt"],
    ["/a", `attachment; filename="EURO.txt"; filename*=UTF-8''%e2%82%ac%20rates.txt`, "€ rates.txt"],
    ["/a", `attachment; filename*=iso-8859-1''%a3.txt`, "£.txt"],
    ["/a", 'attachment; filename="../../etc/passwd"', "passwd"],
    ["/a", String.raw`attachment; filename="C:\\windows\\win.ini"`, "win.ini"],
    ["/a", `attachment; filename*=UTF-8''..%2F..%2F`, "a"],
    ["/a", `attachment; filename*=UTF-8''gnp%E2%80%AEexe.png`, "gnpexe.png"],
    ["/a", `attachment; filename*=UTF-8''a%00%0D%0Ab.txt`, "ab.txt"],
    ["/a", "attachment; filename=", "a"],
    ["/a", "/ not / a / header", "a"],
    ["/a", Buffer.from('attachment; filename="größe.txt"').toString("latin1"), "größe.txt"],
    ["/a", Buffer.from('attachment; filename="größe.txt"', "latin1").toString("latin1"), "größe.txt"],
  ])("of %s, %j: %s", async (path, disposition, name) => {
    // Chunked: beside a length, Node encodes this header anew.
    const { url } = await serveChunks(["hello"], disposition === "" ? {} : { "content-disposition": disposition })
    const source = await open(url + path)
    expect(source.name).toBe(name)
    await source.close!()
  })

  it("of any header and path are names a file can have", () => {
    const anyName = fc.oneof(fc.string({ unit: "binary", maxLength: 3000 }), fc.string({ maxLength: 3000 }))
    fc.assert(
      fc.property(anyName, fc.constantFrom("path", "header"), (text, place) => {
        const encoded = encodeURIComponent(text.toWellFormed())
        const isPath = place === "path"
        const url = new URL(`https://example.com/${isPath ? encoded : "a"}`)
        const headers = new Headers(
          isPath ? {} : { "content-disposition": `attachment; filename*=UTF-8''${encoded.replaceAll("'", "%27")}` },
        )
        const name = readRemoteName(url, headers)
        expect(name).not.toMatch(/[/\\\p{Cc}]/u)
        expect(["", ".", ".."]).not.toContain(name)
        expect(name.isWellFormed()).toBe(true)
        expect(Buffer.byteLength(name)).toBeLessThanOrEqual(limits.fileName)
      }),
    )
  })

  it("that is too long keeps its extension", () => {
    const name = readRemoteName(new URL(`https://example.com/${"ü".repeat(2000)}.tar`), new Headers())
    expect(name).toMatch(/^ü+\.tar$/)
    expect(Buffer.byteLength(name)).toBe(limits.fileName)
  })

  it.each([
    ["/a.png", "text/html; charset=utf-8", "text/html"],
    ["/a.png", "nonsense", "image/png"],
    ["/a.png", "", "image/png"],
    ["/a", "", "application/octet-stream"],
  ])("type of %s, %j: %s", async (path, type, expected) => {
    const { url } = await serve(type === "" ? {} : { "content-type": type })
    const source = await open(url + path)
    expect(source.type).toBe(expected)
    await source.close!()
  })

  it("that were given count, as does all else that was", async () => {
    const { url } = await serve({ "content-type": "text/plain", "content-disposition": "attachment; filename=no" })
    const details = { customId: "id-1", contentDisposition: "attachment", acl: "private" } as const
    const source = await open({ url, name: "yes.bin", type: "application/zip", ...details })
    expect(source).toMatchObject({ name: "yes.bin", type: "application/zip", size: 5, ...details })
    await source.close!()
  })
})

describe("an answer that is no file", () => {
  it.each([[204], [206], [304], [400], [401], [403], [404], [410], [500], [503]])(
    "with status %i is an error that says so, and nothing of what the server wrote",
    async (status) => {
      const { url } = await serve({}, status === 204 || status === 304 ? "" : "internal details", status)
      const error = await refusal(`${url}/a?token=s3cret`)
      expect(error).toMatchObject({ code: "BAD_REQUEST" })
      expect(error.message).toContain(`${url}/a answered ${status}`)
      expect(error.message).not.toMatch(/s3cret|internal/)
    },
  )

  it("is not asked a second time", async () => {
    const { url, requests } = await serve({}, "", 500)
    await refusal(url)
    expect(requests).toHaveLength(1)
  })

  it.each([
    ["invalid\nname", "a"],
    ["x", "a\nb"],
    ["ü", "a"],
  ])("headers %j: %j are refused", async (name, value) => {
    const { url, requests } = await serve({})
    expect(await refusal({ url, headers: { [name]: value } })).toMatchObject({ code: "BAD_REQUEST" })
    expect(requests).toEqual([])
  })
})

describe("maxFileSize", () => {
  it("is compared with the length before anything is read", async () => {
    const { url } = await startSource((_, response) => {
      response.writeHead(200, { "content-length": 2 ** 40 })
      response.flushHeaders()
    })
    const error = await refusal(url, { ...local, maxFileSize: "100MB" })
    expect(error).toMatchObject({ code: "FILE_TOO_LARGE" })
    expect(error.message).toContain("100MB")
  })

  it("lets a file of just that size pass", async () => {
    for (const { url } of [await serve({}), await serveChunks(["hel", "lo"])]) {
      const source = await open(url, { ...local, maxFileSize: 5 })
      expect(source.size).toBe(5)
      await source.close!()
      expect(await refusal(url, { ...local, maxFileSize: 4 })).toMatchObject({ code: "FILE_TOO_LARGE" })
    }
  })

  it("ends what has no length as soon as there is more", async () => {
    let isOver = false
    const { url } = await startSource((_, response) => {
      response.on("close", () => (isOver = true))
      response.on("drain", () => response.write(new Uint8Array(65_536)))
      response.write(new Uint8Array(65_536))
    })
    expect(await refusal(url, { ...local, maxFileSize: "1MB" })).toMatchObject({ code: "FILE_TOO_LARGE" })
    await vi.waitFor(() => expect(isOver).toBe(true))
  })

  it("counts what a bomb is unpacked to", async () => {
    const { url } = await serve({ "content-encoding": "gzip" }, gzipSync(new Uint8Array(50_000_000)))
    expect(await refusal(url, { ...local, maxFileSize: "10MB" })).toMatchObject({ code: "FILE_TOO_LARGE" })
  })

  it.each([["many"], [-1]])("%j is none, timeouts neither", (maxFileSize) => {
    const expected = expect.objectContaining({ code: "INVALID_CONFIG" })
    expect(() => readFromUrlOptions({ maxFileSize } as never)).toThrow(expected)
    expect(() => readFromUrlOptions({ timeout: maxFileSize } as never)).toThrow(expected)
  })
})

describe("a file of unknown size", () => {
  const bytes = randomContent(700_001)

  it("is read from any offset, and as often as need be", async () => {
    const { url, requests } = await serveChunks([bytes.subarray(0, 300_000), bytes.subarray(300_000)])
    const source = await open(url)
    expect(source.size).toBe(bytes.length)
    // Nothing that another process could open.
    expect(await readdir(folder)).toEqual([])
    for (const start of [0, 1, 262_144, 700_000, 0]) {
      expect(Buffer.compare(await readAll(source, start), bytes.subarray(start))).toBe(0)
    }
    expect((await source.slice(bytes.length)) as Blob).toMatchObject({ size: 0 })
    expect(requests).toHaveLength(1)
    await source.close!()
    await expect(readAll(source)).rejects.toThrow()
  })

  it.each([
    ["gzip", gzipSync(bytes)],
    ["br", brotliCompressSync(bytes)],
    ["deflate", deflateSync(bytes)],
    ["identity", bytes],
  ])("encoded as %s though that was not asked for is decoded", async (encoding, encoded) => {
    const { url, requests } = await serve({ "content-encoding": encoding }, encoded)
    const source = await open(url)
    expect(source.size).toBe(bytes.length)
    expect(Buffer.compare(await readAll(source), bytes)).toBe(0)
    expect(requests[0]!.headers["accept-encoding"]).toBe("identity")
    await source.close!()
  })

  it("whose encoding is unknown, or is not what it says, is refused", async () => {
    const wrong = await serve({ "content-encoding": "gzip" }, "not gzip")
    expect(await refusal(wrong.url)).toMatchObject({ code: "BAD_REQUEST" })
    const cut = await serve({ "content-encoding": "gzip" }, gzipSync(bytes).subarray(0, 1000))
    expect(await refusal(cut.url)).toMatchObject({ code: "BAD_REQUEST" })
    for (const encoding of ["compress", "gzip, gzip"]) {
      const strange = await serve({ "content-encoding": encoding })
      expect(await refusal(strange.url)).toMatchObject({ code: "BAD_REQUEST" })
    }
  })

  it("that breaks off is asked for again, from its beginning", async () => {
    const { url, requests } = await startSource((_, response) => {
      response.write(bytes.subarray(0, 300_000), () => {
        if (requests.length === 1) response.destroy()
        else response.end(bytes.subarray(300_000))
      })
    })
    const source = await open(url)
    expect(Buffer.compare(await readAll(source), bytes)).toBe(0)
    expect(requests).toHaveLength(2)
    await source.close!()
  })

  it("that breaks off in what is encoded is asked for again, too", async () => {
    const encoded = gzipSync(bytes)
    const { url, requests } = await startSource((_, response) => {
      response.writeHead(200, { "content-encoding": "gzip" })
      if (requests.length === 1) response.write(encoded.subarray(0, 300_000), () => response.destroy())
      else response.end(encoded)
    })
    const source = await open(url)
    expect(Buffer.compare(await readAll(source), bytes)).toBe(0)
    await source.close!()
  })

  it("that breaks off every time fails", async () => {
    const { url, requests } = await startSource((_, response) => response.write("a", () => response.destroy()))
    expect(await refusal(url)).toMatchObject({ code: "NETWORK_ERROR" })
    expect(requests).toHaveLength(2)
  })

  it("is given up when its upload is aborted", async () => {
    const controller = new AbortController()
    const { url } = await startSource((_, response) => response.write("a", () => controller.abort("enough")))
    const error = await refusal(url, { ...local, signal: controller.signal })
    expect(error).toMatchObject({ code: "ABORTED", cause: "enough" })
  })

  it("cannot be kept where there is no disk, which the error says", async () => {
    const { url } = await serveChunks(["a"])
    const settings = readFromUrlOptions(local, createFetchTransport())
    vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined)
    try {
      const error = await openRemoteFile({ url }, settings).catch((error: unknown) => error)
      expect(error).toMatchObject({ code: "BAD_REQUEST", message: expect.stringContaining("no disk") })
    } finally {
      vi.restoreAllMocks()
    }
  })

  it("for which the disk has no place says so", async () => {
    vi.stubEnv("TMPDIR", join(folder, "none"))
    const { url } = await serveChunks(["a"])
    const error = await refusal(url)
    expect(error).toMatchObject({ code: "INTERNAL_ERROR", message: expect.stringContaining("ENOENT") })
    vi.stubEnv("TMPDIR", folder)
  })
})

describe("a server that takes its time", () => {
  it("to answer is left, and its URL named without what may be secret", async () => {
    const { url, requests } = await startSource(() => {})
    const error = await refusal(`${url}/a?token=s3cret`, { ...local, timeout: "0.1s" })
    expect(error).toMatchObject({ code: "NETWORK_ERROR" })
    expect(error.message).toContain("gave no answer in 0.1 s")
    expect(error.message).not.toContain("s3cret")
    expect(requests).toHaveLength(2)
  })

  it("over its name is left", async () => {
    const error = await refusal("http://files.example/", { ...local, timeout: "0.1s" }, () => new Promise(() => {}))
    expect(error).toMatchObject({ code: "NETWORK_ERROR" })
  })

  it("over the bytes is left, also when it drips", async () => {
    for (const size of [{ "content-length": 1000 }, {}]) {
      let timer: NodeJS.Timeout | undefined
      const { url } = await startSource((_, response) => {
        response.writeHead(200, size)
        timer = setInterval(() => response.write("a"), 20)
        response.on("close", () => clearInterval(timer))
      })
      const options = { ...local, timeout: "0.2s" } as const
      const reading = open(url, options).then((source) => readAll(source))
      await expect(reading).rejects.toMatchObject({
        code: "NETWORK_ERROR",
        message: expect.stringContaining("sent fewer than 204 bytes in 0.2 s"),
      })
    }
  })

  it("is not what a slow reader makes of it", async () => {
    const bytes = randomContent(3_000_000)
    const { url } = await serve({}, bytes)
    const source = await open(url, { ...local, timeout: "0.1s" })
    let count = 0
    for await (const chunk of (await source.slice(0)) as ReadableStream<Uint8Array>) {
      if (count === 0) await new Promise((resolve) => setTimeout(resolve, 300))
      count += chunk.length
    }
    expect(count).toBe(bytes.length)
  })
})

it("a name that no host has, and a host that does not answer, are told apart", async () => {
  const none = Object.assign(new Error("none"), { code: "ENOTFOUND" })
  const error = await refusal("http://nobody.example/a?b", local, () => Promise.reject(none))
  expect(error).toMatchObject({ code: "FORBIDDEN" })
  expect(error.message).toMatch(/^The host of http:\/\/nobody\.example\/a has no public address: .*Check the URL/)
  expect(await refusal("http://127.0.0.1:1/a", local)).toMatchObject({
    code: "NETWORK_ERROR",
    message: expect.stringContaining("ECONNREFUSED"),
  })
})

it("a signal that is aborted already asks nobody", async () => {
  const { url, requests } = await serve({})
  expect(await refusal(url, { ...local, signal: AbortSignal.abort() })).toMatchObject({ code: "ABORTED" })
  expect(requests).toEqual([])
})
