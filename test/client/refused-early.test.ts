import { afterEach, beforeEach, expect, test } from "vitest"
import { generateUploader, type TypedFileRouter } from "../../src/client.node.ts"
import type { ResumeEntry, ResumeStore } from "../../src/resume.ts"
import { type Peer, startPeer } from "./peer.ts"

/* Uploads that the ingest takes nothing of: whoever sends all bytes first hears it last. */

let peer: Peer
beforeEach(async () => {
  peer = await startPeer()
})
afterEach(() => peer.close())

type Uploader = ReturnType<typeof generateUploader<TypedFileRouter>>

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
  ["knows no HEAD", 405, ["PUT 0"]],
  ["knows no such method", 501, ["PUT 0"]],
  ["forbids HEAD", 403, ["PUT 0"]],
  ["finds nothing for HEAD", 404, ["PUT 0"]],
  ["removes the offset", 200, []],
])("where a proxy %s, a large file is sent all the same", async (_, status, asks) => {
  peer.fail("HEAD", "a", { status, body: undefined })
  const { outcome, asked } = await upload(large)
  expect(outcome).toMatchObject({ status: "done" })
  expect(asked).toEqual(["HEAD", ...asks, `PUT ${large}`])
})

test.each([405, 200])(
  "what broke off is not sent from its beginning where HEAD says no offset (%i)",
  async (status) => {
    peer.fail("HEAD", "a", ...Array.from({ length: 20 }, () => ({ status, body: undefined })))
    peer.fail("PUT", "a", { cutAfter: 200_000 })
    const { outcome, asked } = await upload(300_000)
    expect(outcome).toMatchObject({ status: "failed" })
    expect(asked.filter((each) => each.startsWith("PUT"))).toEqual(["PUT 300000"])
  },
)

test("others are sent at once", async () => {
  const { outcome, asked } = await upload(300_000)
  expect(outcome).toMatchObject({ status: "done" })
  expect(asked).toEqual(["PUT 300000"])
})

/** Pauses an upload of 400,000 bytes once some of them are stored. */
const pauseHalfway = async (uploads: Uploader, file: File) => {
  peer.fail("PUT", "a", { stallAfter: 100_000, until: new Promise(() => {}) })
  const upload = uploads.createUpload("any", { files: [file] })
  await peer.until(() => peer.storedOf("a") >= 100_000)
  upload.pauseUpload()
  await upload.done()
  return upload
}

/** The ingest has ended the upload: HEAD says so, and a body is told why. */
const end = (status: number, code: string): void => {
  peer.fail("HEAD", "a", { status, body: undefined })
  peer.fail("PUT", "a", { status, body: { code, detail: "Do not send it again.", status } })
}

const halfway = () => new File([new Uint8Array(400_000)], "a")

test.each([
  [410, "ABORTED"],
  [507, "QUOTA_EXCEEDED"],
])("a remembered upload that the ingest has ended begins anew (%i %s)", async (status, code) => {
  const kept = new Map<string, ResumeEntry["kept"]>()
  const resumeStore = {
    open: async ({ file }) => ({
      kept: kept.get(file.name),
      keep: async (upload) => {
        kept.set(file.name, upload)
        return upload
      },
      exclusively: (work) => work(),
      advance: () => {},
      forget: async () => void kept.delete(file.name),
    }),
  } as Partial<ResumeStore> as ResumeStore
  const uploads = generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1 }, resumeStore })
  const file = halfway()
  await pauseHalfway(uploads, file)
  expect(kept.size).toBe(1)
  peer.seen.length = 0
  end(status, code)
  let begun = 0
  const [outcome] = await uploads.uploadFiles("any", { files: [file], onUploadBegin: () => void begun++ })
  expect(outcome).toMatchObject({ status: "done" })
  expect(begun).toBe(1)
  expect(
    peer.seen.map(({ at, method, headers }) => `${at} ${method} ${headers["content-length"] ?? ""}`.trim()),
  ).toEqual(["ingest HEAD", "ingest PUT 0", expect.stringMatching(/^app POST/), "ingest PUT 400000"])
})

test("an upload that was cancelled elsewhere says so when it is resumed, and begins anew when it is tried again", async () => {
  const uploads = generateUploader<TypedFileRouter>({ url: peer.url, retry: { delay: 1 } })
  const upload = await pauseHalfway(uploads, halfway())
  end(410, "ABORTED")
  upload.resumeUpload()
  expect(await upload.done()).toMatchObject([{ status: "failed", error: { code: "ABORTED" } }])
  upload.resumeUpload()
  expect(await upload.done()).toMatchObject([{ status: "done" }])
  expect(peer.seen.filter(({ at }) => at === "app")).toHaveLength(2)
})

test("a file that is cancelled as it begins gives its place to the next, whatever `fetch` listens to", async () => {
  const answers = { a: new Promise<Response>(() => {}) }
  const fetchDeaf = (url: string, init?: RequestInit) => (url.includes("/key0") ? answers.a : fetch(url, init))
  const uploads = generateUploader<TypedFileRouter>({ url: peer.url, fetch: fetchDeaf, concurrency: 1 })
  const files = ["a", "b"].map((name) => new File(["abc"], name))
  const upload = uploads.createUpload("any", {
    files,
    onUploadBegin: ({ file }) => {
      if (file.name === "a") upload.abortUpload(file)
    },
  })
  expect((await upload.done()).map(({ status }) => status)).toEqual(["aborted", "done"])
})
