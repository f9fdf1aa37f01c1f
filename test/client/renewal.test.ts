import { createHash, randomBytes } from "node:crypto"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import {
  generateUploader,
  type TypedFileRouter,
  type UploaderOptions,
  type ResumeEntry,
  type ResumeStore,
} from "../../src/client.ts"
import { createRouteHandler, createSluice, UploadError } from "../../src/server.ts"
import { toNodeListener } from "../../adapters/node.ts"
import { listen, startIngest, token } from "../ingest/circle.ts"
import { type Peer, startPeer } from "./peer.ts"

const size = 600_000
const bytes = new Uint8Array(randomBytes(size))
const hash = createHash("sha256").update(bytes).digest("hex")
const file = (name: string) => new File([bytes], name)
const never = new Promise<never>(() => {})

describe("a URL that is refused as expired", () => {
  let peer: Peer
  beforeEach(async () => {
    peer = await startPeer()
  })
  afterEach(() => peer.close())

  const uploader = (concurrency?: number) =>
    generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1 }, concurrency })
  const renewals = () =>
    peer.seen.flatMap(({ body }) =>
      typeof body === "object" && body !== null && "urls" in body ? [body.urls as Array<string>] : [],
    )

  test("by the first PUT is renewed for all files that expire with it, in one request", async () => {
    const outcomes = await uploader(2).uploadFiles("any", {
      files: ["a", "b", "c"].map((name) => file(name)),
      input: { folder: 7 },
      onUploadBegin: ({ file }) => file.name === "a" && peer.expire("a", "b", "c"),
    })
    expect(outcomes).toMatchObject(Array.from({ length: 3 }, () => ({ status: "done", fileHash: hash })))
    expect(renewals().map((urls) => urls.length)).toEqual([3])
    expect(peer.seen.find(({ body }) => body !== null && "urls" in (body as object))!.body).toMatchObject({
      input: { folder: 7 },
    })
    expect(peer.trace("c")).toEqual(["PUT bytes=0-"])
  })

  test("after a broken connection is renewed, and the upload goes on from its offset under the same key", async () => {
    peer.fail("PUT", "a", { cutAfter: 200_000 })
    const upload = uploader().createUpload("any", { files: [file("a")] })
    await peer.until(() => peer.inFlight === 1)
    peer.expire("a")
    const [outcome] = await upload.done()
    expect(outcome).toMatchObject({ status: "done", fileHash: hash, key: peer.keyOf("a") })
    expect(peer.trace("a")).toEqual(["PUT bytes=0-", "HEAD", "HEAD", "PUT bytes=200000-"])
    expect(renewals()).toHaveLength(1)
  })

  test("is renewed without forgetting that its file is held, which only the first answer says", async () => {
    const kept: Array<boolean | undefined> = []
    const entry: ResumeEntry = {
      kept: undefined,
      keep: async (upload) => {
        kept.push(upload.isHeld)
        return upload
      },
      exclusively: (work) => work(),
      forget: async () => {},
    }
    const resumeStore = { open: async () => entry } as Partial<ResumeStore> as ResumeStore
    await generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1 }, resumeStore }).uploadFiles("any", {
      files: [file("held")],
      onUploadBegin: () => peer.expire("held"),
    })
    expect(renewals()).toHaveLength(1)
    expect(kept).toEqual([true, true])
  })

  test("is renewed without what is done already", async () => {
    peer.fail("PUT", "b", { cutAfter: 100_000 })
    const [a, b] = [file("a"), file("b")]
    const upload = uploader(1).createUpload("any", { files: [a, b] })
    await upload.done(a)
    peer.expire("a", "b")
    expect(await upload.done(b)).toMatchObject({ status: "done" })
    expect(renewals().map((urls) => urls.length)).toEqual([1])
  })

  test("is renewed again after a pause that outlasts the next one", async () => {
    peer.fail("PUT", "a", { stallAfter: 100_000, until: never }, { stallAfter: 100_000, until: never })
    const upload = uploader().createUpload("any", { files: [file("a")] })
    for (const _ of [1, 2]) {
      await peer.until(() => peer.inFlight === 1)
      const before = peer.storedOf("a")
      await peer.until(() => peer.storedOf("a") >= before + 100_000 || peer.storedOf("a") === size)
      upload.pauseUpload()
      await upload.done()
      peer.expire("a")
      upload.resumeUpload()
    }
    expect(await upload.done()).toMatchObject([{ status: "done", fileHash: hash }])
    expect(renewals()).toHaveLength(2)
  })

  test("and whose renewal is refused fails with what the route says; others go on", async () => {
    peer.fail("RENEW", "any", { status: 403, body: { code: "FORBIDDEN", detail: "Signed out meanwhile." } })
    const hold = Promise.withResolvers<void>()
    peer.fail("PUT", "b", { hold: hold.promise })
    const [a, b] = [file("a"), file("b")]
    const upload = uploader().createUpload("any", {
      files: [a, b],
      onUploadBegin: ({ file }) => file === a && peer.expire("a"),
    })
    expect(await upload.done(a)).toMatchObject({ error: { code: "FORBIDDEN", detail: "Signed out meanwhile." } })
    hold.resolve()
    expect(await upload.done(b)).toMatchObject({ status: "done" })
  })

  test("as often as it is renewed is not renewed for ever", async () => {
    const expired = { status: 403, body: { code: "EXPIRED_URL", detail: "By my clock." } }
    peer.fail("PUT", "a", ...Array.from({ length: 10 }, () => expired))
    const [outcome] = await uploader().uploadFiles("any", { files: [file("a")] })
    expect(outcome).toMatchObject({ status: "failed", error: { code: "EXPIRED_URL", detail: "By my clock." } })
    expect(renewals()).toHaveLength(1)
  })

  test("is found out by HEAD as well, whose refusal has no words", async () => {
    peer.fail("PUT", "a", { cutAfter: 1000 })
    peer.fail("HEAD", "a", { status: 403 }, { status: 403 })
    const [outcome] = await uploader().uploadFiles("any", { files: [file("a")] })
    expect(outcome).toMatchObject({ status: "failed", error: { code: "FORBIDDEN" } })
    expect(renewals()).toHaveLength(1)
  })

  test("resumed too late to be renewed begins anew", async () => {
    peer.fail("PUT", "a", { stallAfter: 100_000, until: never })
    const upload = uploader().createUpload("any", { files: [file("a")] })
    await peer.until(() => peer.storedOf("a") >= 100_000)
    upload.pauseUpload()
    await upload.done()
    peer.lose("a")
    upload.resumeUpload()
    expect(await upload.done()).toMatchObject([{ status: "done", fileHash: hash, key: "key1" }])
  })
})

describe("with the real route handler and ingest", () => {
  const start = async () => {
    vi.useFakeTimers({ toFake: ["Date"] })
    const ingest = await startIngest()
    const asked = vi.fn<(files: number) => void>()
    const router = {
      docs: createSluice()({ blob: { maxFileSize: "1GB", maxFileCount: 5 } }, { presignedUrlTtl: "10 minutes" })
        .middleware(({ files }) => {
          asked(files.length)
          if (asked.mock.calls.length > 2) throw new UploadError("Signed out meanwhile")
          return { userId: 7 }
        })
        .onUploadComplete(({ file }) => ({ stored: file.name })),
    }
    let handle: (request: Request) => Promise<Response> = async () => new Response()
    const url = `${await listen(toNodeListener((request) => handle(request)))}/api/sluice`
    handle = createRouteHandler({ router, token, ingestUrl: ingest.url, callbackUrl: url, logLevel: "None" })
    const uploader = (options?: UploaderOptions) =>
      generateUploader<typeof router>({ url, retry: { delay: 1 }, ...options })
    return { asked, uploader }
  }
  afterEach(() => void vi.useRealTimers())
  const minutes = (count: number) => vi.setSystemTime(Date.now() + count * 60_000)

  test("an upload outlives its URL: same key, bytes kept, the callback comes once", async () => {
    const { asked, uploader } = await start()
    const starts: Array<number> = []
    const upload = uploader().createUpload("docs", {
      files: [file("a"), file("b")],
      onEvent: (event) => {
        if (event.type === "begin") starts.push(event.offset)
        if (event.type === "progress" && starts.length === 2 && event.loaded > 0) upload.pauseUpload()
      },
    })
    expect(await upload.done()).toMatchObject([{ status: "paused" }, { status: "paused" }])
    minutes(11)
    upload.resumeUpload()
    const outcomes = await upload.done()
    expect(outcomes).toMatchObject([
      { status: "done", fileHash: hash, serverData: { stored: "a" } },
      { status: "done", fileHash: hash, serverData: { stored: "b" } },
    ])
    expect(asked.mock.calls).toEqual([[2], [2]])
  })

  test("a tab that waited while another finished has the same result, and sends no byte", async () => {
    const { uploader, asked } = await start()
    const starts: Array<number> = []
    let kept: ResumeEntry["kept"]
    const resumeStore = {
      // As seen by a tab that opened the entry in mid-upload: it knows the URL after the other has forgotten it.
      open: async (): Promise<ResumeEntry> => ({
        kept,
        keep: async (upload) => (kept = upload),
        exclusively: (work) => work(),
        forget: async () => {},
      }),
    } as Partial<ResumeStore> as ResumeStore
    const run = async () => {
      const [outcome] = await uploader({ resumeStore }).uploadFiles("docs", {
        files: [file("a")],
        onEvent: (event) => event.type === "begin" && starts.push(event.offset),
      })
      const { file: _, ...rest } = outcome!
      return rest
    }
    const first = await run()
    expect(first).toMatchObject({ status: "done", fileHash: hash, serverData: { stored: "a" } })
    expect(await run()).toEqual(first)
    minutes(11)
    expect(await run()).toEqual(first)
    expect(starts).toEqual([0, size, size])
    expect(asked).toHaveBeenCalledTimes(2)
  })

  test("the middleware may refuse the second half", async () => {
    const { uploader, asked } = await start()
    asked(0)
    const upload = uploader().createUpload("docs", { files: [file("a")], onUploadBegin: () => minutes(11) })
    expect(await upload.done()).toMatchObject([
      { status: "failed", error: { code: "FORBIDDEN", detail: "Signed out meanwhile" } },
    ])
  })
})
