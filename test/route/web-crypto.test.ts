import { afterEach, beforeEach, expect, test, vi } from "vitest"
import { token } from "./app-token.ts"
import { grantOf, png, presigned, refused, renewRequest, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"
import { callbackEvent, hookRequest, sign, storedFile } from "./signed-event.ts"

const ingest = useMockIngest()
useConsoleLines()

// A platform without node:crypto signs asynchronously; which it is is settled when the module is loaded.
beforeEach(() => {
  vi.spyOn(process, "getBuiltinModule").mockReturnValue(undefined)
  vi.resetModules()
})
afterEach(() => {
  vi.restoreAllMocks()
  vi.resetModules()
})

const createHandler = async () => {
  const { createRouteHandler, createSluice } = await import("../../src/server.ts")
  const router = { a: createSluice()({ image: { maxFileCount: 3 } }).onUploadComplete(() => 1) }
  return createRouteHandler({ router, token, isDev: false, allowedHosts: "app.test" })
}

test("where there is Web Crypto alone the URLs are the same: signed, in order, renewable", async () => {
  const handle = await createHandler()
  const files = ["a.png", "b.png", "c.png"].map((name) => ({ ...png, name }))
  const uploads = await presigned(await handle(uploadRequest("a", { files })))
  for (const [i, { url, key }] of uploads.entries()) expect(await grantOf(url)).toMatchObject({ ...files[i], key })
  const renewed = await presigned(await handle(renewRequest("a", { urls: uploads.map(({ url }) => url) })))
  expect(renewed.map(({ key }) => key)).toEqual(uploads.map(({ key }) => key))
  await refused(
    await handle(renewRequest("a", { urls: [uploads[0]!.url.replace("1024", "1025")] })),
    "INVALID_SIGNATURE",
    403,
  )
})

test("where there is Web Crypto alone callbacks are verified as ever", async () => {
  const handle = await createHandler()
  expect((await handle(hookRequest(callbackEvent()))).status).toBe(200)
  expect(JSON.parse(ingest.results[0]!.text)).toEqual({ fileKey: storedFile.key, eventId: "evt_1", callbackData: 1 })
  await refused(await handle(hookRequest(callbackEvent(), { signature: sign("other") })), "INVALID_SIGNATURE", 403)
  expect(ingest.results).toHaveLength(1)
})
