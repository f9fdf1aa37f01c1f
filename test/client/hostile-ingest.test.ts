import { afterEach, beforeEach, describe, expect, onTestFinished, test } from "vitest"
import { generateUploader, type TypedFileRouter } from "../../src/client.ts"
import { type Fetch, fetchReply, networkError, readReply } from "../../src/transfer/reply.ts"
import type { BytesRequest } from "../../src/transfer/bytes-request.ts"
import { sendBytes } from "../../src/transfer/send-bytes.ts"
import { sendDirect } from "../../src/transfer/send-direct.ts"
import { type Peer, startPeer } from "./peer.ts"

describe("an answer to a direct question that cannot be", () => {
  const size = 1_000_000
  const direct = (answer: object) => ({ transport: "direct", partSize: 500_000, stored: [], uploads: [], ...answer })

  /** What becomes of a file, and how often the ingest was asked. */
  const answered = async (answer: unknown) => {
    let asked = 0
    const fetch: Fetch = async () => {
      asked++
      return new Response(JSON.stringify(answer))
    }
    const file = new File([new Uint8Array(size)], "a.bin")
    const transfer = {
      file,
      fetch,
      trace: undefined,
      signal: new AbortController().signal,
      onProgress: () => {},
      touch: () => {},
      forget: () => {},
    }
    const args = [sendBytes, fetchReply, readReply, networkError] as const
    return { outcome: await sendDirect(transfer, "http://ingest.example/key", ...args), asked }
  }

  test.each([
    ["parts of no bytes", direct({ partSize: 0 })],
    ["parts of less", direct({ partSize: -1 })],
    ["more parts than a bucket takes", direct({ partSize: 1 })],
    ["parts of half a byte", direct({ partSize: 0.5 })],
    ["parts of a text", direct({ partSize: "500000" })],
    ["runs that are none", direct({ stored: 5 })],
    ["a run that is none", direct({ stored: [null] })],
    ["a run backwards", direct({ stored: [[2, 1]] })],
    [
      "runs in no order",
      direct({
        stored: [
          [2, 2],
          [1, 1],
        ],
      }),
    ],
    ["a million runs", direct({ stored: Array.from({ length: 1_000_000 }, (_, at) => [at + 1, at + 1]) })],
    ["uploads that are none", direct({ uploads: [{ number: 1 }] })],
    ["no uploads", direct({ uploads: undefined })],
    ["nothing", {}],
    ["a number", 5],
  ])("%s: it is refused at once", async (_, answer) => {
    const { outcome, asked } = await answered(answer)
    expect(outcome).toMatchObject({ error: { code: "INVALID_CONFIG" } })
    expect(asked).toBe(1)
  })

  test("how long a part may be silent: six times as long once its last byte is on its way, and for ever where nobody tells", async () => {
    const touches = async (tell: (request: BytesRequest) => void) => {
      const times: Array<number | undefined> = []
      const transfer = {
        file: new File([new Uint8Array(500_000)], "a.bin"),
        fetch: async () =>
          new Response(JSON.stringify(direct({ uploads: [{ number: 1, url: "http://b.example/1" }] }))),
        trace: undefined,
        signal: new AbortController().signal,
        onProgress: () => {},
        touch: (count?: number) => void times.push(count),
        forget: () => {},
      }
      const send: typeof sendBytes = async (_, request) => {
        tell(request)
        return { status: 200, body: "", header: () => null, redirect: false, url: undefined }
      }
      const args = [send, fetchReply, readReply, networkError] as const
      expect(await sendDirect(transfer, "http://ingest.example/key", ...args)).toEqual({ value: true })
      return times
    }
    expect(
      await touches(({ touch, onProgress }) => {
        touch()
        onProgress(100_000)
        onProgress(500_000)
      }),
    ).toEqual([1, 1, 6, 6])
    expect(await touches(({ touch }) => touch(Infinity))).toEqual([Infinity, Infinity])
  })

  test("all of it stored in runs is all of it", async () => {
    expect(
      await answered(
        direct({
          stored: [
            [1, 1],
            [2, 2],
          ],
        }),
      ),
    ).toEqual({ outcome: { value: true }, asked: 1 })
    expect(await answered({ transport: "ingest" })).toEqual({ outcome: { value: false }, asked: 1 })
  })
})

describe("an ingest that answers with another file", () => {
  test.each(["another", "", "k", "0", "key"])("has not stored this one: %j", async (key) => {
    const peer = await startPeer()
    onTestFinished(() => peer.close())
    const { uploadFiles } = generateUploader<TypedFileRouter>({
      url: peer.url,
      fetch: async (url, init) => {
        const answer = await fetch(url, init)
        if (init?.method !== "PUT") return answer
        return Response.json({ ...((await answer.json()) as object), key })
      },
    })
    expect(await uploadFiles("any", { files: [new File(["hello"], "a")] })).toMatchObject([
      { status: "failed", error: { code: "INVALID_CONFIG" } },
    ])
  })
})

describe("an ingest that takes one byte of each request", () => {
  let peer: Peer
  beforeEach(async () => {
    peer = await startPeer()
  })
  afterEach(() => peer.close())

  test("is not asked again at full speed", async () => {
    const faults = Array.from({ length: 1000 }, (_, at) => ({
      status: 409,
      headers: { "x-sluice-range-start": `${at + 1}` },
    }))
    peer.fail("PUT", "a", ...faults)
    const stop = new AbortController()
    const upload = generateUploader<TypedFileRouter>({ url: peer.url }).uploadFiles("any", {
      files: [new File([new Uint8Array(2000)], "a")],
      signal: stop.signal,
    })
    await new Promise((resolve) => setTimeout(resolve, 400))
    stop.abort()
    await upload
    expect(peer.seen.filter(({ method }) => method === "PUT")).toHaveLength(1)
  })
})
