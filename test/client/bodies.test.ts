import { createHash, randomBytes } from "node:crypto"
import { createReadStream, openAsBlob } from "node:fs"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { Readable } from "node:stream"
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest"
import {
  fileFromStream,
  fileFromUri,
  generateUploader,
  type TypedFileRouter,
  type UploadableFile,
} from "../../src/client.ts"
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
