import { expect, onTestFinished, test } from "vitest"
import { encodeToken, names, type PresignedUpload } from "../../src/protocol.ts"
import { startRecordingIngest } from "../adapters/apps/recording-ingest.ts"
import { startApp } from "./start-app.ts"

const apiKey = "sk_workerd"
const appId = "workerd"

const start = async () => {
  const ingest = await startRecordingIngest(apiKey, appId)
  onTestFinished(ingest.close)
  const token = encodeToken({ apiKey, appId, regions: ["local"] })
  const app = await startApp("fetch", "worker", { token, ingestUrl: ingest.url })
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
  return { ingest, upload }
}

// What one request of a worker has begun another may not use, and all of them share one handler.

test("a hundred uploads are answered that come at once, before anything else has", async () => {
  const { ingest, upload } = await start()
  const wanted = Array.from({ length: 100 }, (_, i) => `${i}.txt`)
  const uploads = await Promise.all(wanted.map((name) => upload(name)))
  expect(uploads.map(({ name }) => name)).toEqual(wanted)
  const registered = ingest.registrations.flatMap(({ fileKeys }) => fileKeys)
  expect(registered.toSorted()).toEqual(uploads.map(({ key }) => key).toSorted())
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
