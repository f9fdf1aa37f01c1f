import { expect, it, onTestFinished } from "vitest"
import { toNodeListener } from "../../adapters/node/to-node-listener.ts"
import type { PresignedUpload } from "../../src/protocol.ts"
import { createRouteHandler, createSluice } from "../../src/server.ts"
import { eventually, listen, putRaw, token } from "../ingest/circle.ts"
import { postAction, presignedOf } from "./post-action.ts"
import { makeDataFolder, openCatalog, startIngestProcess } from "./two-apps.ts"

/** An app with Sluice's own route handler whose `onUploadComplete` takes as long as `until`. */
const startRoutes = async (ingestUrl: string, until: () => Promise<void>) => {
  const f = createSluice()
  const runs: Array<string> = []
  const router = {
    avatar: f({ text: { maxFileSize: "1MB" } }, { awaitServerData: true }).onUploadComplete(async ({ file }) => {
      runs.push(file.key)
      await until()
      return { run: runs.length }
    }),
  }
  const handle = createRouteHandler({ router, token, ingestUrl, isDev: false, logLevel: "None" })
  const origin = await listen(toNodeListener(handle))
  const presign = async (): Promise<PresignedUpload> => {
    const files = [{ name: "hello.txt", size: 5, type: "text/plain" }]
    const [presigned] = await presignedOf(await postAction(`${origin}/api/sluice`, "upload", "avatar", { files }))
    return presigned!
  }
  return { runs, presign }
}

/** An ingest that has a whole file and waits for its app, which handles it until it is told to finish. */
const startSlowUpload = async () => {
  const data = await makeDataFolder()
  const ingest = await startIngestProcess(data)
  const gate = Promise.withResolvers<void>()
  onTestFinished(() => gate.resolve())
  const app = await startRoutes(ingest.url, () => gate.promise)
  const { key, url } = await app.presign()
  const put = putRaw(url, "hello")
  await eventually(() => app.runs.length === 1)
  return { data, ingest, app, key, url, put, finish: gate.resolve }
}

it("an ingest that is told to stop while an app handles a file waits for it, takes its result and gives it to the client", async () => {
  const { data, ingest, app, key, url, put, finish } = await startSlowUpload()

  ingest.child.kill("SIGTERM")
  // A new connection, as that of the app may be: it is heard, and told that nothing new is taken.
  const fresh = { headers: { connection: "close" } }
  await eventually(async () => (await fetch(`${ingest.url}/ready`, fresh)).status === 503)
  expect((await putRaw(url, "hello", 0, fresh.headers)).status).toBe(503)
  finish()
  const answer = await put
  expect([answer.status, (await answer.json()).serverData]).toEqual([200, { run: 1 }])
  expect((await ingest.ended).code).toBe(0)

  const catalog = openCatalog(data)
  const stored = await catalog.get(key)
  expect(stored?.delivery).toMatchObject({ status: "delivered", attempts: 1, failures: 0 })
  expect(stored?.result).toEqual({ data: JSON.stringify({ run: 1 }) })
  await catalog.close()

  // The next process owes the app nothing.
  const next = await startIngestProcess(data, [])
  await eventually(async () => (await fetch(`${next.url}/ready`)).status === 200)
  expect(app.runs).toEqual([key])
})

it("an app that is still at work when the ingest's grace is over is called again by the next one", async () => {
  const { data, ingest, app, key, put, finish } = await startSlowUpload()
  ingest.child.kill("SIGTERM")
  expect((await put).status).toBe(503)
  expect((await ingest.ended).code).toBe(0)
  const catalog = openCatalog(data)
  expect((await catalog.get(key))?.delivery?.status).toBe("pending")
  await catalog.close()
  finish()
  await startIngestProcess(data, ["--port", new URL(ingest.url).port])
  await eventually(() => app.runs.length === 2)
})
