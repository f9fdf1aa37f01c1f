import { createHash, randomBytes } from "node:crypto"
import { mkdtemp, rm, writeFile } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { fileFromPath, fileFromStream, generateUploader, type TypedFileRouter } from "../../src/client.node.ts"
import type { UploadableFile } from "../../src/client.ts"
import { type Peer, startPeer } from "./peer.ts"

/* Bodies in pieces: what the client does where somebody between it and the ingest takes no large ones (docs/protocol.md §10). */

const KiB = 1024

let peer: Peer
beforeEach(async () => {
  peer = await startPeer()
})
afterEach(() => peer.close())

const bytesOf = (size: number) => new Uint8Array(randomBytes(size))
const hashOf = (bytes: Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/** Where each body began and how long it was, as its head said, in KiB; `HEAD` for the others. */
const bodies = (name: string) =>
  peer.seen
    .filter((request) => request.at === "ingest" && request.name === name)
    .map(({ method, headers }) => {
      const start = Number(/\d+/.exec(headers.range ?? "")?.[0])
      return method === "HEAD" ? method : `${start / KiB}+${Number(headers["content-length"]) / KiB}`
    })

/** Uploads one file; also the events that are not progress, and the bytes that progress counted. */
const upload = async (file: UploadableFile, attempts = 1) => {
  const events: Array<string> = []
  let loaded = 0
  let counted = 0
  let fell = false
  const upload = generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1, attempts } }).createUpload(
    "any",
    {
      files: [file],
      onEvent: (event) => {
        if (event.type !== "progress") return void events.push(event.type)
        fell ||= event.loaded < loaded
        loaded = event.loaded
        counted += event.delta
      },
    },
  )
  const [outcome] = await upload.done()
  return { outcome: outcome!, events, fell, counted }
}

const blobOf = (name: string, bytes: Uint8Array<ArrayBuffer>) => new File([bytes], name)

describe("a proxy that refuses large bodies by a 413", () => {
  test("gets smaller ones, within one attempt, and progress neither falls nor counts twice", async () => {
    peer.between.limit = 100 * KiB
    const bytes = bytesOf(300 * KiB)
    const { outcome, events, fell, counted } = await upload(blobOf("a", bytes))
    expect(outcome).toMatchObject({ status: "done", fileHash: hashOf(bytes) })
    expect(bodies("a")).toEqual(["0+300", "0+256", "0+128", "0+64", "64+64", "128+64", "192+64", "256+44"])
    expect({ events, fell, counted }).toEqual({ events: ["begin", "end"], fell: false, counted: 300 * KiB })
  })

  test("is remembered for the next file, which is cut from its first byte on", async () => {
    peer.between.limit = 200 * KiB
    await upload(blobOf("a", bytesOf(300 * KiB)))
    const bytes = bytesOf(256 * KiB)
    expect((await upload(blobOf("b", bytes))).outcome).toMatchObject({ status: "done", fileHash: hashOf(bytes) })
    expect(bodies("b")).toEqual(["0+128", "128+128"])
    await upload(blobOf("c", bytesOf(128 * KiB)))
    expect(bodies("c")).toEqual(["0+128"])
  })

  test("that takes not even 64 KiB is named, with its limit, and no smaller piece is tried", async () => {
    peer.between.limit = 1000
    expect((await upload(blobOf("a", bytesOf(100 * KiB)), 5)).outcome).toMatchObject({
      status: "failed",
      error: {
        code: "INVALID_CONFIG",
        status: 413,
        detail:
          "A proxy in front of the ingest (nginx/1.29.0) refuses bodies of 65536 bytes. Files are cut into pieces of no less than 64 KiB: raise the proxy's limit (nginx: client_max_body_size 0).",
      },
    })
    expect(bodies("a")).toEqual(["0+100", "0+64"])
  })

  test("from a file of gigabytes on, the first smaller piece has 64 MiB", async () => {
    peer.between.limit = 64 * KiB
    // Of a body of 8 GiB the proxy looks at the head alone; the rest of it never comes.
    const begun = () => {
      let isFirst = true
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        if (!isFirst) return new Promise<void>(() => {})
        controller.enqueue(new Uint8Array(KiB))
        isFirst = false
        return undefined
      }
      return new ReadableStream({ pull })
    }
    const file: UploadableFile = { name: "a", type: "", size: 8 * 1024 ** 3, slice: begun }
    const controller = new AbortController()
    const uploads = generateUploader<TypedFileRouter>({ url: peer.url })
    const done = uploads.uploadFiles("any", { files: [file], signal: controller.signal })
    await peer.until(() => bodies("a").length === 3)
    controller.abort()
    await done
    expect(bodies("a")).toEqual(["HEAD", `0+${8 * KiB * KiB}`, `0+${64 * KiB}`])
  })

  test("is not the ingest: its own refusal of a size is final", async () => {
    for (const body of [
      { code: "FILE_TOO_LARGE", detail: "No." },
      { type: "urn:sluice:error:of-tomorrow", code: "OF_TOMORROW", detail: "No." },
    ]) {
      peer.fail("PUT", body.code, { status: 413, body })
      expect((await upload(blobOf(body.code, bytesOf(100 * KiB)), 5)).outcome.status).toBe("failed")
      expect(bodies(body.code)).toEqual(["0+100"])
    }
  })

  test("a piece that breaks off goes on where the stored bytes end", async () => {
    peer.between.limit = 100 * KiB
    const bytes = bytesOf(200 * KiB)
    // Only a body that gets through breaks off.
    peer.fail("PUT", "a", { cutAfter: 10 * KiB })
    expect((await upload(blobOf("a", bytes), 2)).outcome).toMatchObject({ status: "done", fileHash: hashOf(bytes) })
    // A kept connection that broke off without an answer may be tried once more at once, instead of a HEAD.
    const sent = bodies("a").filter((body, index, all) => body !== "HEAD" && body !== all[index - 1])
    expect(sent).toEqual(["0+200", "0+128", "0+64", "10+64", "74+64", "138+62"])
  })

  test("a URL that expires between two pieces is renewed", async () => {
    peer.between.limit = 100 * KiB
    const bytes = bytesOf(200 * KiB)
    const uploads = generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1, attempts: 1 } })
    const [outcome] = await uploads.uploadFiles("any", {
      files: [blobOf("a", bytes)],
      onUploadProgress: ({ loaded }) => {
        if (loaded === 128 * KiB && peer.storedOf("a") === 64 * KiB) peer.expire("a")
      },
    })
    expect(outcome).toMatchObject({ status: "done", fileHash: hashOf(bytes) })
  })
})

describe("a file that is read as a stream", () => {
  test("is opened once for all its pieces, however the stream is cut itself", async () => {
    peer.between.limit = 100 * KiB
    const bytes = bytesOf(333 * KiB)
    const opened: Array<number> = []
    const file = fileFromStream({
      name: "a",
      size: bytes.length,
      stream: (start) => {
        let at = start
        opened.push(start)
        const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
          controller.enqueue(bytes.subarray(at, (at += 50_001)))
          if (at >= bytes.length) controller.close()
        }
        return new ReadableStream({ pull })
      },
    })
    expect((await upload(file)).outcome).toMatchObject({ status: "done", fileHash: hashOf(bytes) })
    // Bodies of 333, 256 and 128 KiB were refused, then came the pieces.
    expect(opened).toEqual([0, 0, 0, 0])
    expect((await upload({ ...file, name: "b" })).outcome).toMatchObject({ status: "done", fileHash: hashOf(bytes) })
    expect(opened).toEqual([0, 0, 0, 0, 0])
  })

  test("that breaks off within a piece is opened again where the stored bytes end", async () => {
    peer.between.largestAppend = "65536"
    await upload(blobOf("first", bytesOf(10)))
    const bytes = bytesOf(200 * KiB)
    const opened: Array<number> = []
    const stream = (start: number) => {
      const isFirst = opened.push(start) === 1
      let at = start
      return new ReadableStream<Uint8Array>(
        {
          pull: async (controller) => {
            // What has arrived by then is all that was read.
            if (isFirst && at === 80 * KiB) {
              await peer.until(() => peer.storedOf("a") === at)
              return controller.error(new Error("The disk is gone."))
            }
            controller.enqueue(bytes.subarray(at, (at += 8 * KiB)))
            if (at >= bytes.length) controller.close()
          },
        },
        { highWaterMark: 0 },
      )
    }
    const { outcome } = await upload(fileFromStream({ name: "a", size: bytes.length, stream }), 2)
    expect(outcome).toMatchObject({ status: "done", fileHash: hashOf(bytes) })
    expect(opened).toEqual([0, 80 * KiB])
  })

  test("is closed where its upload is aborted between two pieces", async () => {
    peer.between.largestAppend = "65536"
    await upload(blobOf("first", bytesOf(10)))
    const closed = Promise.withResolvers<void>()
    const controller = new AbortController()
    const stream = () =>
      new ReadableStream({
        pull: (controller) => controller.enqueue(new Uint8Array(KiB)),
        cancel: () => closed.resolve(),
      })
    const uploads = generateUploader<TypedFileRouter>({ url: peer.url })
    const [outcome] = await uploads.uploadFiles("any", {
      files: [fileFromStream({ name: "a", size: 1000 * KiB, stream })],
      signal: controller.signal,
      onUploadProgress: ({ loaded }) => loaded > 128 * KiB && controller.abort(),
    })
    expect(outcome!.status).toBe("aborted")
    await closed.promise
  })

  test("from a path arrives as it is on the disk", async () => {
    const folder = await mkdtemp(join(tmpdir(), "sluice-pieces-"))
    onTestFinished(() => rm(folder, { recursive: true }))
    const bytes = bytesOf(2500 * KiB)
    await writeFile(join(folder, "a"), bytes)
    peer.between.limit = 1024 * KiB
    const file = await fileFromPath(join(folder, "a"))
    expect((await upload(file)).outcome).toMatchObject({ status: "done", fileHash: hashOf(bytes) })
    expect(bodies("a")).toEqual(["0+2500", "0+2048", "0+1024", "1024+1024", "2048+452"])
  })
})

describe("an ingest that says how much one body may bring", () => {
  test("is heard by the first answer, and no later body is larger", async () => {
    peer.between.largestAppend = "100000"
    await upload(blobOf("a", bytesOf(10)))
    const bytes = bytesOf(250_000)
    expect((await upload(blobOf("b", bytes))).outcome).toMatchObject({ status: "done", fileHash: hashOf(bytes) })
    expect(bodies("b").map((body) => Number(body.split("+")[1]) * KiB)).toEqual([100_000, 100_000, 50_000])
  })

  test("is heard by HEAD, after a first body that broke off", async () => {
    Object.assign(peer.between, { largestAppend: "100000", limit: 100_000, isMute: true })
    const bytes = bytesOf(250_000)
    expect((await upload(blobOf("a", bytes), 2)).outcome).toMatchObject({ status: "done", fileHash: hashOf(bytes) })
    expect(bodies("a").map((body) => Number(body.split("+")[1]) * KiB)).toEqual([
      250_000,
      NaN,
      100_000,
      100_000,
      50_000,
    ])
  })

  test.each(["1", "0", "-5", "65536.5", "many"])("and says %s is not followed below 64 KiB", async (largestAppend) => {
    peer.between.largestAppend = largestAppend
    await upload(blobOf("a", bytesOf(10)))
    await upload(blobOf("b", bytesOf(64 * KiB)))
    expect(bodies("b")).toEqual(["0+64"])
  })
})

describe("a proxy that closes the connection of a large body", () => {
  test("is found out by small pieces that grow, within the file alone where its limit is small", async () => {
    Object.assign(peer.between, { limit: 300 * KiB, isMute: true })
    const bytes = bytesOf(1100 * KiB)
    const { outcome, fell, counted } = await upload(blobOf("a", bytes), 3)
    expect(outcome).toMatchObject({ status: "done", fileHash: hashOf(bytes) })
    const found = ["0+64", "64+128", "192+256", "448+512", "HEAD", "448+256", "704+256", "960+140"]
    expect(bodies("a")).toEqual(["0+1100", "HEAD", "0+1100", "HEAD", ...found])
    expect({ fell, counted }).toEqual({ fell: false, counted: 1100 * KiB })
    expect((await upload(blobOf("b", bytes), 1)).outcome.status).toBe("failed")
    expect(bodies("b")).toEqual(["0+1100"])
  })

  test("is remembered where its limit is large enough for that to cost little", async () => {
    Object.assign(peer.between, { limit: 1024 * KiB, isMute: true })
    const bytes = bytesOf(6000 * KiB)
    expect((await upload(blobOf("a", bytes), 3)).outcome).toMatchObject({ status: "done", fileHash: hashOf(bytes) })
    await upload(blobOf("b", bytesOf(2000 * KiB)))
    expect(bodies("b")).toEqual(["0+1024", "1024+976"])
  })

  test("is not suspected where bytes arrive before connections break", async () => {
    peer.fail("PUT", "a", { cutAfter: KiB }, { cutAfter: KiB }, { cutAfter: KiB })
    await upload(blobOf("a", bytesOf(300 * KiB)), 5)
    expect(bodies("a").filter((body) => body !== "HEAD")).toEqual(["0+300", "1+299", "2+298", "3+297"])
  })

  test("a body that breaks off once is sent as a whole again", async () => {
    peer.fail("PUT", "a", { cutAfter: 0 })
    await upload(blobOf("a", bytesOf(300 * KiB)), 5)
    expect(bodies("a")).toEqual(["0+300", "HEAD", "0+300"])
  })
})
