import { expect, onTestFinished, test } from "vitest"
import { generateUploader } from "../../src/client.ts"
import { encodeToken, names, type PresignedUpload } from "../../src/protocol.ts"
import { startRecordingIngest } from "../../src/conformance/adapter/recording-ingest.ts"
import type { TestRouter } from "../../src/conformance/adapter/test-router.ts"
import { startApp } from "./start-app.ts"

const apiKey = "sk_workerd"
const appId = "workerd"

const start = async (kind: "fetch" | "hono" = "fetch", settings: Readonly<Record<string, string>> = {}) => {
  const ingest = await startRecordingIngest(apiKey, appId)
  onTestFinished(ingest.close)
  const token = encodeToken({ apiKey, appId, regions: ["local"] })
  const app = await startApp(kind, "worker", { token, ingestUrl: ingest.url }, settings)
  onTestFinished(app.close)
  const upload = async (name: string, signal: AbortSignal | null = null): Promise<PresignedUpload> => {
    const response = await fetch(`${app.url}?${names.action.type}=${names.action.upload}&${names.action.slug}=note`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ files: [{ name, size: 3, type: "text/plain" }] }),
      signal,
    })
    expect(response.status).toBe(200)
    const [presigned] = (await response.json()) as [PresignedUpload]
    return presigned
  }
  return { ingest, upload, url: app.url }
}

// What one request of a worker has begun another may not use, and all of them share one handler.

test("a hundred uploads are answered that come at once, before anything else has", async () => {
  const { ingest, upload } = await start()
  const wanted = Array.from({ length: 100 }, (_, i) => `${i}.txt`)
  const uploads = await Promise.all(wanted.map((name) => upload(name)))
  expect(uploads.map(({ name }) => name)).toEqual(wanted)
  const keys = uploads.map(({ key }) => key).toSorted()
  const registered = () => ingest.registrations.flatMap(({ fileKeys }) => fileKeys).toSorted()
  await expect.poll(registered, { timeout: 10_000 }).toEqual(keys)
})

test("clients that leave while the first uploads are answered hinder none after them", async () => {
  const { upload } = await start()
  const controller = new AbortController()
  const left = Array.from({ length: 20 }, (_, i) => upload(`left-${i}`, controller.signal))
  const stayed = Array.from({ length: 20 }, (_, i) => upload(`stayed-${i}`))
  controller.abort()
  await Promise.allSettled(left)
  expect((await Promise.all(stayed)).map(({ name }) => name)).toHaveLength(20)
  expect(await upload("later")).toMatchObject({ name: "later" })
})

test.for(["fetch", "hono"] as const)(
  "in development what goes on after the answer goes on, with %s: the stream of callbacks",
  async (kind) => {
    const { url } = await start(kind, { SLUICE_IS_DEV: "true" })
    const uploader = generateUploader<TestRouter>({ url })
    const outcomes = await uploader.uploadFiles("note", { files: [new File(["x"], "a.txt")] })
    expect(outcomes).toMatchObject([{ status: "done", serverData: { name: "a.txt" } }])
  },
)
