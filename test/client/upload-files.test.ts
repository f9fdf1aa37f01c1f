import { randomBytes } from "node:crypto"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { generateUploader, UploadError, type TypedFileRouter } from "../../src/client.ts"
import { type Peer, startPeer } from "./peer.ts"

let peer: Peer
beforeEach(async () => {
  peer = await startPeer()
})
afterEach(() => peer.close())

const quick = { delay: 1 }
const uploader = (options: Parameters<typeof generateUploader>[0] = {}) =>
  generateUploader<TypedFileRouter>({ url: peer.url, retry: quick, ...options })
const textFile = (name: string, text = name) => new File([text], name, { type: "text/plain", lastModified: 7 })

describe("what is sent", () => {
  test("the route handler learns name, size, type and time of each file, and the input", async () => {
    await uploader().uploadFiles("avatar", { files: [textFile("a.txt", "12345")], input: { id: 1 } })
    expect(peer.seen[0]).toMatchObject({
      at: "app",
      name: "avatar",
      body: { files: [{ name: "a.txt", size: 5, type: "text/plain", lastModified: 7 }], input: { id: 1 } },
    })
    expect(peer.seen[0]!.headers["content-type"]).toBe("application/json")
  })

  test("the bytes go raw to the signed URL exactly as issued, without asking for the offset first", async () => {
    const bytes = new Uint8Array(randomBytes(300_000))
    const [outcome] = await uploader().uploadFiles("any", { files: [new File([bytes], "ünï (1) & #.bin")] })
    expect(outcome).toMatchObject({ status: "done", name: "ünï (1) & #.bin", size: 300_000 })
    expect(peer.trace("ünï (1) & #.bin")).toEqual(["PUT bytes=0-"])
    expect(peer.bytesOf("ünï (1) & #.bin")).toEqual(Buffer.from(bytes))
  })

  test("thousands of files are asked for by as many requests as they need", async () => {
    const files = Array.from({ length: 2003 }, (_, index) => textFile(`${index}.txt`, ""))
    const outcomes = await uploader({ concurrency: 50 }).uploadFiles("any", { files })
    expect(outcomes.map(({ status, file }) => [status, file.name])).toEqual(files.map(({ name }) => ["done", name]))
    const asked = peer.seen
      .filter(({ at }) => at === "app")
      .map(({ body }) => (body as { files: Array<{ name: string }> }).files)
    expect(asked.map(({ length }) => length)).toEqual([1000, 1000, 3])
    expect(asked.flat().map(({ name }) => name)).toEqual(files.map(({ name }) => name))
  })

  test("a length is declared, and the body's type is never taken from the file", async () => {
    await uploader().uploadFiles("any", { files: [new File(["x"], "a", { type: "multipart/form-data; boundary=b" })] })
    expect(peer.seen[1]!.headers).toMatchObject({ "content-length": "1", "content-type": "application/octet-stream" })
  })

  test("headers go to the route handler alone; the upload's win over the uploader's; functions are asked each time", async () => {
    let token = 0
    peer.fail("POST", "any", { status: 503 })
    await uploader({ headers: async () => ({ authorization: `token ${++token}`, "x-a": "uploader" }) }).uploadFiles(
      "any",
      {
        files: [textFile("a.txt")],
        headers: new Headers({ "x-a": "upload" }),
      },
    )
    const [first, second, put] = peer.seen
    expect(first!.headers).toMatchObject({ authorization: "token 1", "x-a": "upload" })
    expect(second!.headers).toMatchObject({ authorization: "token 2", "x-a": "upload" })
    expect(put!.headers).not.toHaveProperty("authorization")
    expect(put!.headers).not.toHaveProperty("x-a")
  })

  test("nothing at all without files", async () => {
    expect(await uploader().uploadFiles("any", { files: [] })).toEqual([])
    expect(peer.seen).toEqual([])
  })

  test("a URL object and a query of its own are kept", async () => {
    const seen: Array<string> = []
    const fetch = (url: string, init?: RequestInit) => {
      seen.push(url)
      return globalThis.fetch(url, init)
    }
    const url = new URL(`${peer.url}?tenant=7`)
    const [outcome] = await uploader({ url, fetch }).uploadFiles("any", { files: [textFile("a.txt")] })
    expect(outcome?.status).toBe("done")
    expect(new URL(seen[0]!).search).toBe("?tenant=7&actionType=upload&slug=any")
  })

  test("any iterable of files will do", async () => {
    const outcomes = await uploader().uploadFiles("any", { files: new Set([textFile("a.txt"), textFile("b.txt")]) })
    expect(outcomes.map(({ file }) => file.name)).toEqual(["a.txt", "b.txt"])
  })
})

describe("what comes back", () => {
  test("the stored file and the app's own data", async () => {
    peer.serverData.set("a.txt", { userId: "u1" })
    const file = textFile("a.txt", "hello")
    const [outcome] = await uploader().uploadFiles("any", { files: [file] })
    expect(outcome).toMatchObject({
      status: "done",
      key: "key0",
      name: "a.txt",
      size: 5,
      type: "text/plain",
      customId: null,
      fileHash: "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824",
      serverData: { userId: "u1" },
    })
    expect(outcome!.file).toBe(file)
  })

  test("outcomes stand in the order of the files, whichever arrives first", async () => {
    const last = Promise.withResolvers<void>()
    peer.fail("PUT", "a.txt", { hold: last.promise })
    const files = ["a.txt", "b.txt", "c.txt"].map((name) => textFile(name))
    const ended: Array<string> = []
    const outcomes = uploader().uploadFiles("any", {
      files,
      onUploadProgress: ({ file, progress }) => {
        if (progress === 100) ended.push(file.name)
        if (ended.length === 2) last.resolve()
      },
    })
    expect((await outcomes).map(({ file }) => file)).toEqual(files)
    expect(ended.at(-1)).toBe("a.txt")
  })

  test("a file that is refused does not stop the others, and says why", async () => {
    const problem = { code: "CONTENT_MISMATCH", detail: "b.png is a program.", data: { hint: 1 } }
    peer.fail("PUT", "b.png", { status: 415, body: problem })
    const outcomes = await uploader().uploadFiles("any", {
      files: [textFile("a.txt"), textFile("b.png"), textFile("c.txt")],
    })
    expect(outcomes.map(({ status }) => status)).toEqual(["done", "failed", "done"])
    const [, failed] = outcomes
    if (failed?.status !== "failed") throw new Error("unreachable")
    expect(failed.error).toBeInstanceOf(UploadError)
    expect(failed.error).toMatchObject({
      code: "CONTENT_MISMATCH",
      status: 415,
      detail: "b.png is a program.",
      data: { hint: 1 },
    })
  })

  test("a refusal by the route is the error of every file, and no byte leaves", async () => {
    peer.fail("POST", "avatar", { status: 413, body: { code: "FILE_TOO_LARGE", detail: "At most 4MB." } })
    const outcomes = await uploader().uploadFiles("avatar", { files: [textFile("a.txt"), textFile("b.txt")] })
    expect(outcomes).toMatchObject([
      { status: "failed", error: { code: "FILE_TOO_LARGE" } },
      { status: "failed", error: { code: "FILE_TOO_LARGE" } },
    ])
    expect(peer.seen).toHaveLength(1)
  })

  test("rejects with the first error, after all have ended, when asked to", async () => {
    peer.fail("PUT", "a.txt", { status: 403, body: { code: "INVALID_SIGNATURE", detail: "No." } })
    const upload = uploader().uploadFiles("any", {
      files: [textFile("a.txt"), textFile("b.txt")],
      throwOnFailure: true,
    })
    await expect(upload).rejects.toMatchObject({ code: "INVALID_SIGNATURE" })
    expect(peer.bytesOf("b.txt").toString()).toBe("b.txt")
  })

  test("outside a page, a url that is not absolute is a clear error and not a rejection", async () => {
    for (const url of [undefined, "/api/sluice"]) {
      const [outcome] = await generateUploader({ url }).uploadFiles("any", { files: [textFile("a.txt")] })
      expect(outcome).toMatchObject({ status: "failed", error: { code: "INVALID_CONFIG" } })
      expect(outcome).toMatchObject({ error: { detail: expect.stringContaining("absolute") } })
    }
  })

  test("an answer of something else than a route handler is a configuration error, not a crash", async () => {
    for (const body of ["<html>", "null", "{}", [], [1], [null]]) {
      peer.fail("POST", "any", { status: 200, body })
      const [outcome] = await uploader().uploadFiles("any", { files: [textFile("a.txt")] })
      expect(outcome).toMatchObject({ status: "failed", error: { code: "INVALID_CONFIG" } })
    }
    const [outcome] = await uploader({ url: `${peer.origin}/elsewhere` }).uploadFiles("any", {
      files: [textFile("a.txt")],
    })
    expect(outcome).toMatchObject({ status: "failed", error: { code: "INVALID_CONFIG", status: 404 } })
  })

  test("a headers function that throws fails the files with its error as cause", async () => {
    const cause = new Error("no session")
    const headers = () => Promise.reject(cause)
    const [outcome] = await uploader({ headers }).uploadFiles("any", { files: [textFile("a.txt")] })
    expect(outcome).toMatchObject({ status: "failed", error: { code: "INTERNAL_ERROR", cause } })
  })
})

describe("on the way", () => {
  test("onUploadBegin is called once per file, also when it is sent twice", async () => {
    peer.fail("PUT", "b.txt", { status: 503 })
    const onUploadBegin = vi.fn()
    const files = [textFile("a.txt"), textFile("b.txt")]
    await uploader().uploadFiles("any", { files, onUploadBegin })
    expect(onUploadBegin.mock.calls).toEqual(files.map((file) => [{ file }]))
  })

  test("at most `concurrency` files are on their way at a time, 4 unless told", async () => {
    for (const concurrency of [undefined, 2]) {
      const limit = concurrency ?? 4
      const release = Promise.withResolvers<void>()
      const files = Array.from({ length: 9 }, (_, i) => textFile(`${limit}-${i}.txt`))
      for (const { name } of files) peer.fail("PUT", name, { hold: release.promise })
      const begun: Array<string> = []
      const upload = uploader({ concurrency }).uploadFiles("any", {
        files,
        onUploadBegin: ({ file }) => begun.push(file.name),
      })
      await peer.until(() => peer.inFlight === limit)
      // a request that had been sent as well would arrive before the answer to this one
      await fetch(`${peer.origin}/fence`)
      expect(peer.inFlight).toBe(limit)
      expect(begun).toEqual(files.slice(0, limit).map(({ name }) => name))
      release.resolve()
      expect((await upload).every(({ status }) => status === "done")).toBe(true)
    }
  })

  test("a listener that throws is an uncaught error of its own and does not touch the upload", async () => {
    const uncaught: Array<unknown> = []
    const keep = (error: unknown) => uncaught.push(error)
    const others = process.listeners("uncaughtException")
    process.removeAllListeners("uncaughtException").on("uncaughtException", keep)
    try {
      const error = new Error("from a listener")
      const fail = () => {
        throw error
      }
      const [outcome] = await uploader().uploadFiles("any", {
        files: [textFile("a.txt")],
        onUploadBegin: fail,
        onUploadProgress: fail,
      })
      expect(outcome?.status).toBe("done")
      expect(uncaught.length).toBeGreaterThan(1)
      expect(new Set(uncaught)).toEqual(new Set([error]))
    } finally {
      process.removeListener("uncaughtException", keep)
      for (const listener of others) process.on("uncaughtException", listener)
    }
  })
})
