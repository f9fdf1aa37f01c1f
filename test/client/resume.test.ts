import { createHash, randomBytes } from "node:crypto"
import { afterEach, beforeEach, describe, expect, test } from "vitest"
import { generateUploader, type TypedFileRouter } from "../../src/client.ts"
import { type Fault, type Peer, startPeer } from "./peer.ts"

let peer: Peer
beforeEach(async () => {
  peer = await startPeer()
})
afterEach(() => peer.close())

const size = 400_000
const bytes = new Uint8Array(randomBytes(size))
const hash = createHash("sha256").update(bytes).digest("hex")
const big = () => new File([bytes], "big.bin")
const upload = async (retry: { attempts?: number; delay?: number; maxDelay?: number } = {}) => {
  const uploader = generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1, ...retry } })
  const [outcome] = await uploader.uploadFiles("any", { files: [big()] })
  return outcome!
}
const problem = (status: number, code: string): Fault => ({ status, body: { code, detail: code } })

describe("after a broken connection", () => {
  test("the ingest is asked for its offset and gets the rest from there, once", async () => {
    peer.fail("PUT", "big.bin", { cutAfter: 150_000 })
    expect(await upload()).toMatchObject({ status: "done", fileHash: hash })
    expect(peer.trace("big.bin")).toEqual(["PUT bytes=0-", "HEAD", "PUT bytes=150000-"])
    expect(peer.seen.at(-1)!.headers["content-length"]).toBe("250000")
  })

  test("a lost answer costs an empty PUT, not the bytes again", async () => {
    peer.fail("PUT", "big.bin", "lose-answer")
    expect(await upload()).toMatchObject({ status: "done", fileHash: hash })
    expect(peer.trace("big.bin")).toEqual(["PUT bytes=0-", "HEAD", `PUT bytes=${size}-`])
    expect(peer.seen.at(-1)!.headers["content-length"]).toBe("0")
  })

  test("many breaks are no failure while each try stores something", async () => {
    peer.fail("PUT", "big.bin", ...Array.from({ length: 10 }, () => ({ cutAfter: 30_000 })))
    expect(await upload({ attempts: 2 })).toMatchObject({ status: "done", fileHash: hash })
  })

  test("tries without progress are bounded, and the error says it was the network", async () => {
    peer.fail("PUT", "big.bin", ...Array.from({ length: 10 }, () => ({ cutAfter: 0 })))
    expect(await upload({ attempts: 3 })).toMatchObject({
      status: "failed",
      error: { code: "NETWORK_ERROR", status: 0 },
    })
    expect(peer.trace("big.bin")).toEqual(["PUT bytes=0-", "HEAD", "PUT bytes=0-", "HEAD", "PUT bytes=0-"])
  })

  test("HEAD is tried again as well", async () => {
    peer.fail("PUT", "big.bin", { cutAfter: 1000 })
    peer.fail("HEAD", "big.bin", { status: 503 }, { status: 200 })
    expect(await upload()).toMatchObject({ status: "done", fileHash: hash })
    expect(peer.trace("big.bin")).toEqual(["PUT bytes=0-", "HEAD", "HEAD", "HEAD", "PUT bytes=1000-"])
  })

  test("a lost answer of the route handler is asked for again", async () => {
    peer.fail("POST", "any", "lose-answer", { status: 500, body: "<html>" })
    expect(await upload()).toMatchObject({ status: "done" })
    expect(peer.trace("any")).toEqual(["POST", "POST", "POST"])
  })
})

describe("after an answer", () => {
  test.each([
    ["429", { status: 429 }],
    ["500 without a problem", { status: 500 }],
    ["503", { status: 503, body: "<html>" }],
    ["504 CALLBACK_TIMEOUT", problem(504, "CALLBACK_TIMEOUT")],
    ["423 LOCKED", problem(423, "LOCKED")],
    [
      "502 CALLBACK_FAILED of an app that is not there",
      { status: 502, body: { code: "CALLBACK_FAILED", detail: "No." }, headers: { "retry-after": "0.01" } },
    ],
  ])("%s is tried again", async (_, fault) => {
    peer.fail("PUT", "big.bin", fault)
    expect(await upload()).toMatchObject({ status: "done", fileHash: hash })
  })

  test.each([
    ["400", { status: 400 }, "BAD_REQUEST"],
    ["401", { status: 401 }, "UNAUTHORIZED"],
    ["403 INVALID_SIGNATURE", problem(403, "INVALID_SIGNATURE"), "INVALID_SIGNATURE"],
    ["403 of a proxy", { status: 403 }, "FORBIDDEN"],
    ["404", { status: 404 }, "NOT_FOUND"],
    ["413 SIZE_MISMATCH", problem(413, "SIZE_MISMATCH"), "SIZE_MISMATCH"],
    ["415 CONTENT_MISMATCH", problem(415, "CONTENT_MISMATCH"), "CONTENT_MISMATCH"],
    ["422 DIGEST_MISMATCH", problem(422, "DIGEST_MISMATCH"), "DIGEST_MISMATCH"],
    ["502 CALLBACK_FAILED", problem(502, "CALLBACK_FAILED"), "CALLBACK_FAILED"],
    ["500 ROUTE_FAILED", problem(500, "ROUTE_FAILED"), "ROUTE_FAILED"],
    ["500 INVALID_CONFIG", problem(500, "INVALID_CONFIG"), "INVALID_CONFIG"],
    ["507 QUOTA_EXCEEDED", problem(507, "QUOTA_EXCEEDED"), "QUOTA_EXCEEDED"],
  ])("%s is final", async (_, fault, code) => {
    peer.fail("PUT", "big.bin", fault)
    expect(await upload()).toMatchObject({ status: "failed", error: { code } })
    expect(peer.trace("big.bin")).toEqual(["PUT bytes=0-"])
  })

  test.each([
    ["403", { status: 403, body: { code: "FORBIDDEN", detail: "Sign in." } }, 1],
    ["400 TOO_MANY_FILES", problem(400, "TOO_MANY_FILES"), 1],
    ["500 ROUTE_FAILED", problem(500, "ROUTE_FAILED"), 1],
    ["503 INGEST_UNAVAILABLE", problem(503, "INGEST_UNAVAILABLE"), 2],
  ])("the route handler's %s is asked %i time(s)", async (_, fault, times) => {
    peer.fail("POST", "any", fault)
    await upload()
    expect(peer.trace("any")).toHaveLength(times)
  })

  test("409 goes on at the offset it names, without a HEAD", async () => {
    // as after a reload: the key is deterministic and half of the file is there
    const begin = generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1 } })
    const [outcome] = await begin.uploadFiles("any", {
      files: [big()],
      onUploadBegin: () => peer.preload("big.bin", Buffer.from(bytes.subarray(0, 123_456))),
    })
    expect(outcome).toMatchObject({ status: "done", fileHash: hash })
    expect(peer.trace("big.bin")).toEqual(["PUT bytes=0-", "PUT bytes=123456-"])
  })

  test("409s are bounded, and one that names no offset asks for it", async () => {
    const mismatch = { status: 409, body: { code: "RANGE_MISMATCH", detail: "No." } }
    const named = { ...mismatch, headers: { "x-sluice-range-start": "0" } }
    peer.fail("PUT", "big.bin", mismatch, named, named, named)
    expect(await upload({ attempts: 3 })).toMatchObject({ status: "failed", error: { code: "RANGE_MISMATCH" } })
  })

  test("offsets beyond the end of the file are believed by nobody, and count as failures", async () => {
    const grows = (by: number) => ({
      status: 409,
      body: { code: "RANGE_MISMATCH", detail: "No." },
      headers: { "x-sluice-range-start": String(bytes.length + by) },
    })
    peer.fail("PUT", "big.bin", ...[1, 2, 3, 4, 5, 1e300].map(grows))
    peer.fail("HEAD", "big.bin", ...[1, 2, 3, 4, 5].map((by) => ({ ...grows(by), status: 200, body: "" })))
    expect(await upload({ attempts: 3 })).toMatchObject({ status: "failed" })
    expect(peer.trace("big.bin").length).toBeLessThanOrEqual(4)
  })

  test("a retry-after beyond the longest wait ends it at once, and the error says when to come back", async () => {
    peer.fail("PUT", "big.bin", { status: 429, headers: { "retry-after": "3600" } })
    const outcome = await upload()
    expect(outcome).toMatchObject({ status: "failed", error: { code: "RATE_LIMITED" } })
    expect(outcome.status !== "done" && outcome.error.detail).toMatch(/ 3600 s\.$/)
    expect(peer.trace("big.bin")).toHaveLength(1)
  })

  test.each([
    ["PUT", "big.bin", 429],
    ["HEAD", "big.bin", 503],
    ["POST", "any", 503],
    ["RENEW", "any", 429],
  ] as const)("a %s for %s is not repeated before the retry-after of its %i", async (method, name, status) => {
    if (method === "HEAD") peer.fail("PUT", "big.bin", { cutAfter: 1000 })
    if (method === "RENEW") peer.fail("PUT", "big.bin", problem(403, "EXPIRED_URL"))
    peer.fail(method, name, { status, headers: { "retry-after": "1" } })
    const waits: Array<number | undefined> = []
    const uploader = generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1 } })
    const [outcome] = await uploader.uploadFiles("any", {
      files: [big()],
      onEvent: (event) => event.type === "wait" && waits.push(event.delay),
    })
    expect(outcome).toMatchObject({ status: "done", fileHash: hash })
    expect(waits).toContain(1000)
  })
})
