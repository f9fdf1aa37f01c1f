import { createHash, randomBytes } from "node:crypto"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { generateUploader, type TypedFileRouter, type UploaderOptions } from "../../src/client.ts"
import { type Peer, startPeer } from "./peer.ts"

let peer: Peer
beforeEach(async () => {
  peer = await startPeer()
})
afterEach(() => peer.close())

const bytes = new Uint8Array(randomBytes(600_000))
const hash = createHash("sha256").update(bytes).digest("hex")
const file = (name: string) => new File([bytes], name)
const uploader = (concurrency?: number, options: UploaderOptions = {}) =>
  generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1 }, concurrency, ...options })
const never = new Promise<never>(() => {})

describe("signal", () => {
  test("aborts every file at once: running, waiting in line; the reason is the cause", async () => {
    const controller = new AbortController()
    for (const name of ["a", "b"]) peer.fail("PUT", name, { hold: never })
    const upload = uploader(2).uploadFiles("any", {
      files: ["a", "b", "c"].map((name) => file(name)),
      signal: controller.signal,
    })
    await peer.until(() => ["a", "b"].every((name) => peer.storedOf(name) === bytes.length))
    const reason = new Error("the user left")
    controller.abort(reason)
    const outcomes = await upload
    expect(outcomes.map(({ status }) => status)).toEqual(["aborted", "aborted", "aborted"])
    for (const outcome of outcomes) expect(outcome).toMatchObject({ error: { code: "ABORTED", cause: reason } })
    await peer.until(() => peer.inFlight === 0)
    expect(peer.trace("c")).toEqual([])
  })

  test("aborts while the route handler is being asked: the request is dropped and no byte leaves", async () => {
    const controller = new AbortController()
    const answers: Array<Promise<unknown>> = []
    const watched = (url: string, init?: RequestInit) => {
      const answer = fetch(url, init)
      answers.push(answer.catch((error: unknown) => error))
      return answer
    }
    peer.fail("POST", "any", { hold: never })
    const { uploadFiles } = generateUploader<TypedFileRouter>({ url: peer.url, fetch: watched })
    const upload = uploadFiles("any", { files: [file("a"), file("b")], signal: controller.signal })
    await peer.until(() => peer.seen.length === 1)
    controller.abort()
    expect(await upload).toMatchObject([{ status: "aborted", error: { code: "ABORTED" } }, { status: "aborted" }])
    expect(await Promise.all(answers)).toMatchObject([{ name: "AbortError" }])
  })

  test.each([1, 2, 3, 4, 5])("aborted %i steps after the start: nothing is asked for", async (steps) => {
    const asked = vi.fn(fetch)
    const { createUpload } = generateUploader<TypedFileRouter>({ url: peer.url, fetch: asked })
    const upload = createUpload("any", { files: [file("a")] })
    for (let step = 0; step < steps; step++) await Promise.resolve()
    upload.abortUpload()
    expect(await upload.done()).toMatchObject([{ status: "aborted" }])
    expect(asked).not.toHaveBeenCalled()
  })

  test("aborted before the start: nothing is asked for", async () => {
    const asked = vi.fn(fetch)
    const { uploadFiles } = generateUploader<TypedFileRouter>({ url: peer.url, fetch: asked })
    const upload = uploadFiles("any", { files: [file("a")], signal: AbortSignal.abort() })
    expect(await upload).toMatchObject([{ status: "aborted" }])
    expect(asked).not.toHaveBeenCalled()
  })

  test("what was begun is ended at the ingest, also what a pause has left; of what was not nobody is told", async () => {
    for (const name of ["a", "b", "c"]) peer.fail("PUT", name, { stallAfter: 1000, until: never })
    const [a, b, c, d] = ["a", "b", "c", "d"].map((name) => file(name))
    const asked = vi.fn(fetch)
    const upload = uploader(2, { fetch: asked }).createUpload("any", { files: [a!, b!, c!, d!] })
    const isBegun = (name: string) => peer.storedOf(name) >= 1000
    await peer.until(() => ["a", "b"].every(isBegun))
    upload.pauseUpload(b)
    // It takes the place of the paused one.
    await peer.until(() => isBegun("c"))
    upload.abortUpload()
    expect((await upload.done()).map(({ status }) => status)).toEqual(["aborted", "aborted", "aborted", "aborted"])
    await peer.until(() => ["a", "b", "c"].every((name) => peer.trace(name).includes("DELETE")))
    for (const name of ["a", "b", "c"]) expect(peer.trace(name)).toEqual(["PUT bytes=0-", "DELETE"])
    expect(peer.trace("d")).toEqual([])
    expect(asked.mock.calls.filter(([, init]) => init?.method === "DELETE")).toHaveLength(3)
  })

  test("an ingest that cannot be told changes nothing", async () => {
    peer.fail("PUT", "a", { stallAfter: 1000, until: never })
    const deaf = vi.fn((url: string, init?: RequestInit) => {
      if (init?.method === "DELETE") throw new TypeError("no such method")
      return fetch(url, init)
    })
    const { createUpload } = generateUploader<TypedFileRouter>({ url: peer.url, fetch: deaf })
    const upload = createUpload("any", { files: [file("a")] })
    await peer.until(() => peer.storedOf("a") >= 1000)
    upload.abortUpload()
    expect(await upload.done()).toMatchObject([{ status: "aborted" }])
    await vi.waitFor(() => expect(deaf.mock.calls.at(-1)).toMatchObject([expect.any(String), { keepalive: true }]))
  })

  test("no progress is told after it, even if the transport reads on", async () => {
    const controller = new AbortController()
    const body = Promise.withResolvers<ReadableStream<Uint8Array>>()
    const deaf = (url: string, init?: RequestInit) => {
      if (init?.method !== "PUT") return fetch(url, init)
      body.resolve(init.body as ReadableStream<Uint8Array>)
      return never
    }
    const onUploadProgress = vi.fn()
    const { uploadFiles } = generateUploader<TypedFileRouter>({ url: peer.url, fetch: deaf })
    const upload = uploadFiles("any", { files: [file("a")], signal: controller.signal, onUploadProgress })
    const stream = await body.promise
    controller.abort()
    expect(await upload).toMatchObject([{ status: "aborted" }])
    for await (const chunk of stream) expect(chunk.length).toBeGreaterThan(0)
    expect(onUploadProgress).not.toHaveBeenCalled()
  })

  test("aborted afterwards changes nothing, and no listener stays on it", async () => {
    const { signal } = new AbortController()
    const add = vi.spyOn(signal, "addEventListener")
    const remove = vi.spyOn(signal, "removeEventListener")
    const [outcome] = await uploader().uploadFiles("any", { files: [file("a")], signal })
    expect(outcome).toMatchObject({ status: "done" })
    expect(new Set(remove.mock.calls.map(([, listener]) => listener))).toEqual(
      new Set(add.mock.calls.map(([, listener]) => listener)),
    )
  })
})

describe("createUpload", () => {
  test("pauses one file and resumes it where the stored bytes end; the other goes on", async () => {
    peer.fail("PUT", "a", { stallAfter: 100_000, until: never })
    const [a, b] = [file("a"), file("b")]
    const onUploadBegin = vi.fn()
    const upload = uploader().createUpload("any", { files: [a, b], onUploadBegin })
    await peer.until(() => peer.storedOf("a") >= 100_000)
    upload.pauseUpload(a)
    expect(await upload.done(a)).toMatchObject({ status: "paused", file: a, error: { code: "PAUSED" } })
    expect(await upload.done(b)).toMatchObject({ status: "done", file: b, fileHash: hash })
    const offset = peer.storedOf("a")
    upload.resumeUpload(a)
    expect(await upload.done(a)).toMatchObject({ status: "done", fileHash: hash })
    expect(peer.trace("a")).toEqual(["PUT bytes=0-", "HEAD", `PUT bytes=${offset}-`])
    expect(await upload.done()).toMatchObject([{ status: "done" }, { status: "done" }])
    expect(onUploadBegin).toHaveBeenCalledTimes(2)
    expect(peer.trace("any")).toEqual(["POST"])
  })

  test("pause and resume in one breath, before anything was sent", async () => {
    const upload = uploader().createUpload("any", { files: [file("a"), file("b")] })
    upload.pauseUpload()
    const paused = upload.done()
    upload.resumeUpload()
    expect((await paused).map(({ status }) => status)).toEqual(["paused", "paused"])
    expect((await upload.done()).map(({ status }) => status)).toEqual(["done", "done"])
  })

  test("a pause frees its place in line", async () => {
    peer.fail("PUT", "a", { stallAfter: 1000, until: never })
    const [a, b] = [file("a"), file("b")]
    const upload = uploader(1).createUpload("any", { files: [a, b] })
    await peer.until(() => peer.storedOf("a") >= 1000)
    upload.pauseUpload(a)
    expect(await upload.done(b)).toMatchObject({ status: "done" })
  })

  test("abort ends what runs and what is paused, for good; what is done stays done", async () => {
    peer.fail("PUT", "b", { stallAfter: 1000, until: never })
    peer.fail("PUT", "c", { stallAfter: 1000, until: never })
    const [a, b, c] = [file("a"), file("b"), file("c")]
    const upload = uploader().createUpload("any", { files: [a, b, c] })
    await upload.done(a)
    await peer.until(() => peer.inFlight === 2)
    upload.pauseUpload(b)
    upload.abortUpload()
    expect((await upload.done()).map(({ status }) => status)).toEqual(["done", "aborted", "aborted"])
    upload.resumeUpload()
    upload.pauseUpload()
    expect((await upload.done()).map(({ status }) => status)).toEqual(["done", "aborted", "aborted"])
  })

  test("abort of one file leaves the others alone", async () => {
    peer.fail("PUT", "a", { stallAfter: 1000, until: never })
    const [a, b] = [file("a"), file("b")]
    const upload = uploader().createUpload("any", { files: [a, b] })
    await peer.until(() => peer.storedOf("a") >= 1000)
    upload.abortUpload(a)
    expect((await upload.done()).map(({ status }) => status)).toEqual(["aborted", "done"])
  })

  test("what failed can be resumed: the file, or the request for the URLs", async () => {
    peer.fail("POST", "any", { status: 403, body: { code: "FORBIDDEN", detail: "Sign in." } })
    peer.fail("PUT", "a", { status: 415, body: { code: "CONTENT_MISMATCH", detail: "No." } })
    const upload = uploader().createUpload("any", { files: [file("a"), file("b")] })
    expect(await upload.done()).toMatchObject([{ error: { code: "FORBIDDEN" } }, { error: { code: "FORBIDDEN" } }])
    upload.resumeUpload()
    expect(await upload.done()).toMatchObject([{ error: { code: "CONTENT_MISMATCH" } }, { status: "done" }])
    upload.resumeUpload()
    expect(await upload.done()).toMatchObject([{ status: "done" }, { status: "done" }])
    expect(peer.trace("any")).toEqual(["POST", "POST"])
  })

  test("the signal also ends what is paused", async () => {
    const controller = new AbortController()
    const upload = uploader().createUpload("any", { files: [file("a")], signal: controller.signal })
    upload.pauseUpload()
    await upload.done()
    controller.abort()
    expect(await upload.done()).toMatchObject([{ status: "aborted" }])
  })

  test("a file that is no part of it is refused", async () => {
    const upload = uploader().createUpload("any", { files: [file("a")] })
    await expect(upload.done(file("a"))).rejects.toMatchObject({ code: "BAD_REQUEST" })
    await upload.done()
  })
})
