// @vitest-environment jsdom
import { setupServer } from "msw/node"
import { afterAll, afterEach, beforeAll, expect, test } from "vitest"
import { generateUploader, type UploadProgress } from "../../src/client.ts"
import { createUploadMock } from "../../src/msw.ts"

const uploads = createUploadMock({ routes: { avatar: { serverData: ({ file }) => ({ size: file.size }) } } })
const server = setupServer(...uploads.handlers)
beforeAll(() => server.listen({ onUnhandledFrame: "error" }))
afterEach(() => uploads.reset())
afterAll(() => server.close())

/** No `url`: the page's own origin. */
const { createUpload, uploadFiles } = generateUploader({ retry: { attempts: 2, delay: 1 } })

const content = Uint8Array.from({ length: 300_000 }, (_, i) => i % 251)
const files = [new File([content], "a.png", { type: "image/png" })]

/** Plain values: jsdom's arrays are of another realm. */
const stored = () => uploads.files.map(({ name, bytes }) => ({ name, bytes: Buffer.from(bytes) }))
const expected = [{ name: "a.png", bytes: Buffer.from(content) }]

test("in a page of jsdom the bytes go by XMLHttpRequest, with progress", async () => {
  expect(typeof XMLHttpRequest).toBe("function")
  const progress: Array<UploadProgress> = []
  const onUploadProgress = (event: UploadProgress) => void progress.push(event)
  const hold = uploads.hold("avatar")
  const upload = createUpload("avatar", { files, onUploadProgress })
  await hold.reached
  hold.release()
  expect(await upload.done()).toMatchObject([{ status: "done", serverData: { size: 300_000 } }])
  expect(stored()).toEqual(expected)
  expect(progress.map(({ progress, loaded }) => ({ progress, loaded }))).toEqual([
    { progress: 99, loaded: 300_000 },
    { progress: 100, loaded: 300_000 },
  ])
})

test("the page may read refusals of the ingest, and when to come back", async () => {
  uploads.fail("avatar", "QUOTA_EXCEEDED")
  expect(await uploadFiles("avatar", { files })).toMatchObject([
    { status: "failed", error: { code: "QUOTA_EXCEEDED", status: 507 } },
  ])
})

test("an upload that was cut goes on from the bytes that are stored", async () => {
  uploads.fail("avatar", "NETWORK_ERROR", { after: 100_000, once: true })
  const begins: Array<string | null> = []
  server.events.on("request:start", ({ request }) => {
    if (request.method === "PUT") begins.push(request.headers.get("range"))
  })
  expect(await uploadFiles("avatar", { files })).toMatchObject([{ status: "done" }])
  server.events.removeAllListeners()
  expect(begins).toEqual(["bytes=0-", "bytes=100000-"])
  expect(stored()).toEqual(expected)
})

test("a small file goes as a POST, which the mock takes, holds and refuses as it does a PUT", async () => {
  const methods: Array<string> = []
  server.events.on("request:start", ({ request }) => {
    if (new URL(request.url).hostname === "ingest.sluice.test") methods.push(request.method)
  })
  const small = [new File([content.slice(0, 1000)], "a.png", { type: "image/png" })]
  const hold = uploads.hold("avatar")
  const upload = createUpload("avatar", { files: [new File(["text"], "b.txt")] })
  await hold.reached
  hold.release()
  expect(await upload.done()).toMatchObject([{ status: "done" }])
  uploads.fail("avatar", "NETWORK_ERROR", { after: 400, once: true })
  expect(await uploadFiles("avatar", { files: small })).toMatchObject([{ status: "done", serverData: { size: 1000 } }])
  server.events.removeAllListeners()
  expect(stored()).toEqual([
    { name: "b.txt", bytes: Buffer.from("text") },
    { name: "a.png", bytes: Buffer.from(content.slice(0, 1000)) },
  ])
  expect(methods.filter((method) => method !== "OPTIONS")).toEqual(["POST", "POST", "HEAD", "PUT"])
})

test("an upload that waits can be aborted", async () => {
  const hold = uploads.hold("avatar")
  const upload = createUpload("avatar", { files })
  await hold.reached
  upload.abortUpload()
  expect(await upload.done()).toMatchObject([{ status: "aborted" }])
  hold.release()
  expect(await uploadFiles("avatar", { files })).toMatchObject([{ status: "done" }])
  expect(uploads.files).toHaveLength(1)
})
