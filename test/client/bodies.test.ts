import { execFileSync } from "node:child_process"
import { createHash, randomBytes, randomUUID } from "node:crypto"
import { createReadStream, openAsBlob } from "node:fs"
import {
  appendFile,
  mkdir,
  mkdtemp,
  readdir,
  readlink,
  rename,
  rm,
  truncate,
  utimes,
  writeFile,
} from "node:fs/promises"
import { tmpdir } from "node:os"
import { basename, join, relative } from "node:path"
import { Readable } from "node:stream"
import { pathToFileURL } from "node:url"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, onTestFinished, test, vi } from "vitest"
import {
  fileFromStream,
  fileFromUri,
  generateUploader,
  type TypedFileRouter,
  type UploadableFile,
} from "../../src/client.ts"
import { fileFromPath } from "../../src/client.node.ts"
import { fileFromPath as fileFromPathInPages } from "../../src/client.ts"
import { type Peer, startPeer } from "./peer.ts"

let peer: Peer
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "bodies-"))
  await writeFile(join(folder, "a"), bytes)
})
afterAll(() => rm(folder, { recursive: true }))
beforeEach(async () => {
  peer = await startPeer()
})
afterEach(() => peer.close())

const size = 500_000
const bytes = new Uint8Array(randomBytes(size))
const hash = createHash("sha256").update(bytes).digest("hex")
const upload = async (file: UploadableFile) => {
  const uploader = generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1 } })
  const [outcome] = await uploader.uploadFiles("any", { files: [file] })
  return outcome!
}
const fromDisk = (start: number) =>
  Readable.toWeb(createReadStream(join(folder, "a"), { start })) as ReadableStream<Uint8Array>

describe("a file from a stream", () => {
  test("is sent as it comes, with its length; opened again at the offset after a broken connection", async () => {
    const starts: Array<number> = []
    peer.fail("PUT", "a", { cutAfter: 200_000 })
    const stream = (start: number) => {
      starts.push(start)
      return fromDisk(start)
    }
    expect(await upload(fileFromStream({ name: "a", size, stream }))).toMatchObject({ status: "done", fileHash: hash })
    expect(starts).toEqual([0, 200_000])
    const puts = peer.seen.filter(({ method }) => method === "PUT")
    expect(puts.map(({ headers }) => headers["content-length"])).toEqual([String(size), String(size - 200_000)])
  })

  test("costs nothing to ask for an answer that was lost", async () => {
    peer.fail("PUT", "a", "lose-answer")
    const stream = vi.fn(async (start: number) => fromDisk(start))
    expect(await upload(fileFromStream({ name: "a", size, stream }))).toMatchObject({ status: "done", fileHash: hash })
    expect(stream).toHaveBeenCalledOnce()
  })

  test.each([
    ["shorter", size + 1, /fewer than the 500001 bytes/],
    ["longer", size - 1, /more than the 499999 bytes/],
  ])("that is %s than it was said to be fails, and says so", async (_, wrong, message) => {
    const outcome = await upload(fileFromStream({ name: "a", size: wrong, stream: fromDisk }))
    expect(outcome).toMatchObject({ status: "failed", error: { code: "SIZE_MISMATCH" } })
    expect(outcome.status !== "done" && outcome.error.detail).toMatch(message)
  })

  test("may be empty, and may come late", async () => {
    expect(await upload(fileFromStream({ name: "e", size: 0, stream: fromDisk }))).toMatchObject({ size: 0 })
    const late = async (start: number) => fromDisk(start)
    expect(await upload(fileFromStream({ name: "a", size, stream: late }))).toMatchObject({ fileHash: hash })
  })

  test("that cannot be opened says why", async () => {
    const cause = new Error("no such file")
    const outcome = await upload(fileFromStream({ name: "a", size, stream: () => Promise.reject(cause) }))
    expect(outcome).toMatchObject({ status: "failed", error: { code: "INTERNAL_ERROR", cause } })
  })
})

describe("a file on the disk", () => {
  const toPath = async (content: Uint8Array) => {
    const path = join(folder, `${randomUUID()}.bin`)
    await writeFile(path, content)
    // Whole seconds, which another file can be given as well.
    await utimes(path, 1e9, 1e9)
    return path
  }

  test("is sent as it is, and resumed where the connection broke", async () => {
    peer.fail("PUT", "a.bin", { cutAfter: 200_000 })
    const file = await fileFromPath(pathToFileURL(await toPath(bytes)), { name: "a.bin", type: "image/png" })
    expect(file).toMatchObject({ name: "a.bin", size, type: "image/png", lastModified: expect.any(Number) })
    expect(await upload(file)).toMatchObject({ status: "done", size, fileHash: hash })
    expect(peer.trace("a.bin")).toEqual(["PUT bytes=0-", "HEAD", "PUT bytes=200000-"])
  })

  test("is named by its path, and may be empty", async () => {
    const path = await toPath(new Uint8Array())
    expect(await upload(await fileFromPath(path))).toMatchObject({ name: basename(path), size: 0 })
  })

  test("may be many pieces, from any byte on", async () => {
    const content = randomBytes(2 * 1024 * 1024 + 5)
    const file = await fileFromPath(await toPath(content))
    for (const start of [0, 1, 1024 * 1024, content.length - 1]) {
      const read = await new Response((await file.slice(start)) as BodyInit).bytes()
      expect(content.subarray(start).equals(read)).toBe(true)
    }
  })

  test.each([
    ["longer", (path: string) => appendFile(path, "!"), "has 500001 now"],
    ["shorter", (path: string) => truncate(path, 10), "has 10 now"],
    ["of another time", (path: string) => utimes(path, 1, 1), "asked for."],
    [
      "another file of the same size and time",
      async (path: string) => {
        await writeFile(`${path}.new`, randomBytes(size))
        await utimes(`${path}.new`, 1e9, 1e9)
        await rename(`${path}.new`, path)
      },
      "asked for.",
    ],
  ])("that is %s when it is sent fails, and says so", async (_, change, message) => {
    const path = await toPath(bytes)
    const file = await fileFromPath(path)
    await change(path)
    const outcome = await upload(file)
    expect(outcome).toMatchObject({ status: "failed", error: { code: "SIZE_MISMATCH" } })
    expect(outcome.status !== "done" && outcome.error.detail).toContain(`${path} has changed`)
    expect(outcome.status !== "done" && outcome.error.detail).toContain(message)
  })

  test.each([
    ["longer", (path: string) => appendFile(path, "!"), "SIZE_MISMATCH"],
    ["gone", (path: string) => rm(path), "NOT_FOUND"],
  ])("that was empty and is %s when it is sent fails", async (_, change, code) => {
    const path = await toPath(new Uint8Array())
    const file = await fileFromPath(path)
    await change(path)
    expect(await upload(file)).toMatchObject({ status: "failed", error: { code } })
  })

  test.each([
    ["a pipe", (path: string) => void execFileSync("mkfifo", [path])],
    ["a folder", (path: string) => mkdir(path)],
  ])("that %s has taken the place of fails at once", async (_, make) => {
    const path = await toPath(bytes)
    const file = await fileFromPath(path)
    await rm(path)
    await make(path)
    const outcome = await upload(file)
    expect(outcome).toMatchObject({ status: "failed", error: { code: "BAD_REQUEST" } })
    expect(outcome.status !== "done" && outcome.error.detail).toContain("not a regular file")
  })

  test("is named as it was when its upload was asked for, wherever the process goes", async () => {
    const path = await toPath(bytes)
    const file = await fileFromPath(relative(process.cwd(), path))
    const before = process.cwd()
    onTestFinished(() => process.chdir(before))
    process.chdir(tmpdir())
    expect(await upload(file)).toMatchObject({ status: "done", fileHash: hash })
  })

  test("may be given as the text of a file: URL, and has no unknown options", async () => {
    const path = await toPath(bytes)
    expect(await fileFromPath(String(pathToFileURL(path)))).toMatchObject({ size })
    await expect(fileFromPath(path, { nme: "x" } as object)).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      message: expect.stringMatching(/no option "nme".*name/),
    })
  })

  test("that is gone when it is sent fails, and says so", async () => {
    const path = await toPath(bytes)
    const file = await fileFromPath(path)
    await rm(path)
    expect(await upload(file)).toMatchObject({ status: "failed", error: { code: "NOT_FOUND" } })
  })

  test.each([
    ["that does not exist", () => join(folder, "none"), "NOT_FOUND"],
    ["that is a folder", () => folder, "BAD_REQUEST"],
    ["that says it is empty and is not", () => "/proc/cpuinfo", "BAD_REQUEST"],
    ["of another kind of URL", () => new URL("http://x.test/y"), "BAD_REQUEST"],
  ])("%s is refused at once", async (_, toWhat, code) => {
    await expect(fileFromPath(toWhat())).rejects.toMatchObject({ code })
  })

  test("is refused in pages, in words", async () => {
    await expect(fileFromPathInPages("a")).rejects.toMatchObject({
      code: "INVALID_CONFIG",
      message: expect.stringMatching(/no file system/),
    })
  })

  test("is closed when it was read, when it was given up and when it failed; unread it is not opened", async () => {
    const path = await toPath(randomBytes(3 * 1024 * 1024))
    const countOpen = async () => {
      const links = await Promise.all(
        (await readdir("/proc/self/fd")).map((name) => readlink(`/proc/self/fd/${name}`).catch(() => "")),
      )
      return links.filter((link) => link === path).length
    }
    const file = await fileFromPath(path)
    const unread = await file.slice(0)
    expect(await countOpen()).toBe(0)
    const reader = ((await file.slice(0)) as ReadableStream<Uint8Array>).getReader()
    await reader.read()
    expect(await countOpen()).toBe(1)
    await reader.cancel()
    expect(await countOpen()).toBe(0)
    await new Response((await file.slice(5)) as BodyInit).bytes()
    expect(await countOpen()).toBe(0)
    await appendFile(path, "!")
    await expect(new Response(unread as BodyInit).bytes()).rejects.toMatchObject({ code: "SIZE_MISMATCH" })
    await expect.poll(countOpen).toBe(0)
  })
})

test("a Blob of Node's disk needs but a name", async () => {
  const blob = await openAsBlob(join(folder, "a"))
  expect(await upload(new File([blob], "a"))).toMatchObject({ status: "done", fileHash: hash })
})

describe("a file from a URI", () => {
  const uri = `data:application/octet-stream;base64,${Buffer.from(bytes).toString("base64")}`
  afterEach(() => void vi.unstubAllGlobals())

  test("is read where the system does not read it", async () => {
    peer.fail("PUT", "a", { cutAfter: 200_000 })
    expect(await upload(await fileFromUri({ uri, name: "a" }))).toMatchObject({ status: "done", size, fileHash: hash })
    expect(peer.trace("a")).toEqual(["PUT bytes=0-", "HEAD", "PUT bytes=200000-"])
  })

  test("is named to React Native, and cut by a Blob only to go on", async () => {
    vi.stubGlobal("navigator", { product: "ReactNative" })
    const file = await fileFromUri({ uri, name: "a", type: "image/png", size })
    expect(file).toMatchObject({ name: "a", type: "image/png", size })
    expect(await file.slice(0)).toEqual({ uri })
    const rest = (await file.slice(400_000)) as Blob
    expect(Buffer.from(await rest.arrayBuffer()).equals(Buffer.from(bytes.subarray(400_000)))).toBe(true)
  })
})
