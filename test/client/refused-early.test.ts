import { afterEach, beforeEach, expect, test } from "vitest"
import { generateUploader, type TypedFileRouter } from "../../src/client.node.ts"
import { type Peer, startPeer } from "./peer.ts"

/* Uploads that the ingest takes nothing of: whoever sends all bytes first hears it last. */

let peer: Peer
beforeEach(async () => {
  peer = await startPeer()
})
afterEach(() => peer.close())

const upload = async (size: number) => {
  const file = new File([new Uint8Array(size)], "a")
  const uploads = generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1 } })
  const [outcome] = await uploads.uploadFiles("any", { files: [file] })
  const asked = peer.seen
    .filter(({ at }) => at === "ingest")
    .map(({ method, headers }) => `${method} ${headers["content-length"] ?? ""}`.trim())
  return { outcome, asked }
}

const large = 50_000_001
const refusal = { code: "QUOTA_EXCEEDED", detail: "There is no room for it.", status: 507 }

test("a large file is asked for first, and its refusal is explained without a byte of it", async () => {
  peer.fail("HEAD", "a", { status: 507, body: undefined })
  peer.fail("PUT", "a", { status: 507, body: refusal })
  const { outcome, asked } = await upload(large)
  expect(outcome).toMatchObject({ status: "failed", error: { code: "QUOTA_EXCEEDED", message: refusal.detail } })
  expect(asked).toEqual(["HEAD", "PUT 0"])
})

test("the limit of a size is told as the ingest's, not as a proxy's", async () => {
  const body = { code: "FILE_TOO_LARGE", detail: "Too large.", status: 413, data: { maxSize: 5 } }
  peer.fail("HEAD", "a", { status: 413, body: undefined })
  peer.fail("PUT", "a", { status: 413, body })
  const { outcome, asked } = await upload(large)
  expect(outcome).toMatchObject({ status: "failed", error: { code: "FILE_TOO_LARGE", data: { maxSize: 5 } } })
  expect(asked).toEqual(["HEAD", "PUT 0"])
})

test("what has room meanwhile is sent", async () => {
  peer.fail("HEAD", "a", { status: 507, body: undefined })
  const { outcome, asked } = await upload(large)
  expect(outcome).toMatchObject({ status: "done" })
  expect(asked).toEqual(["HEAD", "PUT 0", `PUT ${large}`])
})

test("a connection that breaks under a refusal is asked for the reason, and nothing is sent twice", async () => {
  peer.fail("PUT", "a", { cutAfter: 0 }, { status: 507, body: refusal })
  peer.fail("HEAD", "a", { status: 507, body: undefined })
  const { outcome, asked } = await upload(300_000)
  expect(outcome).toMatchObject({ status: "failed", error: { code: "QUOTA_EXCEEDED", message: refusal.detail } })
  expect(asked).toEqual(["PUT 300000", "HEAD", "PUT 0"])
})

test.each([
  ["refuses HEAD", 405],
  ["removes the offset", 200],
])(
  "where a proxy %s, a large file is sent all the same; what broke off is not sent from its beginning",
  async (_, status) => {
    peer.fail("HEAD", "a", { status, body: undefined })
    expect(await upload(large)).toMatchObject({ outcome: { status: "done" }, asked: ["HEAD", `PUT ${large}`] })
    peer.fail("HEAD", "a", ...Array.from({ length: 20 }, () => ({ status, body: undefined })))
    peer.fail("PUT", "a", { cutAfter: 20_000_000 })
    const { outcome } = await upload(large)
    expect(outcome).toMatchObject({ status: "failed", error: { message: "A proxy removes x-sluice-range-start." } })
  },
)

test("others are sent at once", async () => {
  const { outcome, asked } = await upload(300_000)
  expect(outcome).toMatchObject({ status: "done" })
  expect(asked).toEqual(["PUT 300000"])
})
