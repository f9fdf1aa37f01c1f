import { createHash, randomBytes } from "node:crypto"
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { fileFromStream, generateUploader, type TypedFileRouter, type UploaderOptions } from "../../src/client.ts"
import { type Peer, startPeer } from "./peer.ts"

let peer: Peer
beforeEach(async () => {
  peer = await startPeer()
})
afterEach(async () => {
  vi.unstubAllGlobals()
  await peer.close()
})

const bytes = new Uint8Array(randomBytes(9_000_000))
const hash = createHash("sha256").update(bytes).digest("hex")
const file = () => new File([bytes], "a")
const never = new Promise<never>(() => {})
const later = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms))

const upload = async (timeout: number, files: ReadonlyArray<File> = [file()], ask?: UploaderOptions["fetch"]) => {
  const retry = { delay: 1, timeout }
  const { uploadFiles } = generateUploader<TypedFileRouter>({ url: peer.url, retry, fetch: ask })
  const [outcome] = await uploadFiles("any", { files })
  expect(outcome).toMatchObject({ status: "done", fileHash: hash })
}

describe("a connection on which nothing moves any more", () => {
  test("in the middle of a file: it goes on where the stored bytes end", async () => {
    peer.fail("PUT", "a", { stallAfter: 1_000_000, until: never })
    await upload(100)
    const [first, head, second] = peer.trace("a")
    expect([first, head]).toEqual(["PUT bytes=0-", "HEAD"])
    expect(Number(/\d+/.exec(second!)![0])).toBeGreaterThanOrEqual(1_000_000)
  })

  test("after the last byte: the ingest is asked again, and no byte is sent twice", async () => {
    peer.fail("PUT", "a", { hold: never })
    await upload(100)
    expect(peer.trace("a")).toEqual(["PUT bytes=0-", "HEAD", `PUT bytes=${bytes.length}-`])
  })

  test("while the ingest is asked how much is stored", async () => {
    peer.fail("PUT", "a", { cutAfter: 1_000_000 })
    let heads = 0
    const deaf = (url: string, init?: RequestInit) => {
      if (init?.method !== "HEAD" || ++heads > 1) return fetch(url, init)
      return new Promise<never>((_, reject) =>
        init.signal!.addEventListener("abort", () => reject(init.signal!.reason)),
      )
    }
    await upload(300, [file()], deaf)
    expect(heads).toBe(2)
  })

  test("while the app is asked for a URL", async () => {
    peer.fail("POST", "any", { hold: never })
    await upload(100)
    expect(peer.trace("any")).toEqual(["POST", "POST"])
  })
})

describe("code of the page's own that never answers", () => {
  test("and does not listen to the signal: `fetch`", async () => {
    let isFirst = true
    const deaf = (url: string, init?: RequestInit) => {
      if (!isFirst) return fetch(url, init)
      isFirst = false
      return never
    }
    await upload(100, [file()], deaf)
    expect(peer.trace("any")).toEqual(["POST"])
  })

  test("`headers`", async () => {
    let asked = 0
    const { uploadFiles } = generateUploader<TypedFileRouter>({
      url: peer.url,
      headers: () => (asked++, never),
      retry: { delay: 1, attempts: 2, timeout: 50 },
    })
    const [outcome] = await uploadFiles("any", { files: [file()] })
    expect(outcome).toMatchObject({ status: "failed", error: { code: "NETWORK_ERROR" } })
    expect(asked).toBe(2)
  })

  test("a file that gives no bytes", async () => {
    const { uploadFiles } = generateUploader<TypedFileRouter>({ url: peer.url, retry: { attempts: 1, timeout: 50 } })
    const [outcome] = await uploadFiles("any", {
      files: [{ name: "a", size: 3, type: "text/plain", slice: () => never }],
    })
    expect(outcome).toMatchObject({ status: "failed", error: { code: "NETWORK_ERROR" } })
  })
})

describe("what is slow and moves", () => {
  test("is left alone: a source that gives a little at a time", async () => {
    const stream = (start: number) =>
      new ReadableStream<Uint8Array>({
        async pull(controller) {
          await later(60)
          const end = Math.min(start + 1_000_000, bytes.length)
          controller.enqueue(bytes.subarray(start, end))
          start = end
          if (end === bytes.length) controller.close()
        },
      })
    await upload(200, [fileFromStream({ name: "a", size: bytes.length, stream }) as unknown as File])
    expect(peer.trace("a")).toEqual(["PUT bytes=0-"])
  })

  test("an app that takes longer for a URL than an ingest may be silent", async () => {
    peer.fail("POST", "any", { hold: later(300) })
    await upload(200)
    expect(peer.trace("any")).toEqual(["POST"])
  })

  test("an app that takes its time with the last byte", async () => {
    peer.fail("PUT", "a", { hold: later(600) })
    await upload(200)
    expect(peer.trace("a")).toEqual(["PUT bytes=0-"])
  })

  test("whatever lasts long where nobody tells how far it is", async () => {
    vi.stubGlobal("navigator", { userAgent: "Deno/2" })
    peer.fail("PUT", "a", { stallAfter: 1_000_000, until: later(500) })
    await upload(50)
    expect(peer.trace("a")).toEqual(["PUT bytes=0-"])
  })
})

test("an answer that comes a byte at a time without an end is no sign of life", async () => {
  let puts = 0
  const trickle = async (url: string, init?: RequestInit) => {
    if (init?.method !== "PUT") return fetch(url, init)
    puts++
    await new Response(init.body).arrayBuffer()
    let timer: ReturnType<typeof setInterval>
    const body = new ReadableStream({
      start: (controller) => {
        timer = setInterval(() => controller.enqueue(new Uint8Array([32])), 1)
      },
      cancel: () => clearInterval(timer),
    })
    init.signal!.addEventListener("abort", () => clearInterval(timer))
    return new Response(body)
  }
  const retry = { delay: 1, attempts: 2, timeout: 30 }
  const { uploadFiles } = generateUploader<TypedFileRouter>({ url: peer.url, retry, fetch: trickle })
  const [outcome] = await uploadFiles("any", { files: [file()] })
  expect(outcome).toMatchObject({ status: "failed", error: { code: "NETWORK_ERROR" } })
  expect(puts).toBe(2)
})
