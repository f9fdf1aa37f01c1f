import { describe, expect, test, vi } from "vitest"
import { postAction, presignedOf } from "./post-action.ts"
import { type RecordedRequest, sendRaw, startCountingApp, startRecorder } from "./production-app.ts"
import { startRealIngest } from "./running-ingest.ts"

const json = "content-type: application/json"

/** Sends what was captured once more, with its signature, to another slug or as another hook. */
const replay = (origin: string, { headers, body }: RecordedRequest, slug: string | undefined, hook?: string) =>
  sendRaw(
    origin,
    [
      `POST /api/sluice${slug === undefined ? "" : `?slug=${slug}`} HTTP/1.1`,
      "host: app.example",
      json,
      `sluice-hook: ${hook ?? String(headers["sluice-hook"])}`,
      `x-sluice-signature: ${String(headers["x-sluice-signature"])}`,
    ],
    body,
  )

describe.each(["production", "development"])("a callback captured on its way to an app in %s", (mode) => {
  /** An app whose callbacks pass by somebody who keeps them. */
  const start = async () => {
    const ingest = await startRealIngest()
    const target = Promise.withResolvers<string>()
    const eavesdropper = await startRecorder(async ({ url, headers, body }) => {
      const { "content-type": type, "sluice-hook": hook, "x-sluice-signature": signature } = headers
      const response = await fetch((await target.promise) + url, {
        method: "POST",
        headers: { "content-type": String(type), "sluice-hook": String(hook), "x-sluice-signature": String(signature) },
        body,
      }).catch(() => undefined)
      // The app may have been ended meanwhile.
      return response?.status ?? 502
    })
    const app = await startCountingApp("node", {
      NODE_ENV: mode,
      SLUICE_TOKEN: ingest.token,
      SLUICE_INGEST_URL: ingest.url,
      SLUICE_CALLBACK_URL: `${eavesdropper.origin}/api/sluice`,
    })
    target.resolve(app.origin)
    const upload = async (bytes: string) => {
      const files = [{ name: "a.png", size: 5, type: "image/png" }]
      const [file] = await presignedOf(await postAction(`${app.origin}/api/sluice`, "upload", "avatar", { files }))
      return fetch(file!.url, { method: "PUT", body: bytes, headers: { "content-type": "application/octet-stream" } })
    }
    const captured = async () => {
      await vi.waitFor(() => expect(eavesdropper.received).toHaveLength(1), 10_000)
      return eavesdropper.received[0]!
    }
    return { app, upload, captured }
  }

  test("runs no other route's code when it is replayed there, nor its own error code", async () => {
    const { app, upload, captured } = await start()
    expect((await upload("hello")).status).toBe(200)
    const callback = await captured()
    const ran = { "avatar middleware": 1, "avatar complete": 1 }
    await vi.waitFor(async () => expect(await app.counts()).toEqual(ran), 10_000)
    for (const slug of ["adminImport", "adminImport&slug=avatar"]) {
      const answer = await replay(app.origin, callback, slug)
      expect([answer.status, answer.body]).toEqual([403, expect.stringContaining("INVALID_SIGNATURE")])
    }
    expect((await replay(app.origin, callback, undefined)).status).toBe(400)
    expect((await replay(app.origin, callback, "avatar", "error")).status).toBe(400)
    expect(await app.counts()).toEqual(ran)
    // The capture is good: its own route takes it again, which is what a delivery's id is for.
    expect((await replay(app.origin, callback, "avatar")).status).toBe(200)
    expect(await app.counts()).toEqual({ ...ran, "avatar complete": 2 })
  })

  test("of a failed upload runs no other route's error code", async () => {
    const { app, upload, captured } = await start()
    expect((await upload("hello!")).status).toBe(413)
    const callback = await captured()
    const ran = { "avatar middleware": 1, "avatar error": 1 }
    await vi.waitFor(async () => expect(await app.counts()).toEqual(ran), 10_000)
    const answer = await replay(app.origin, callback, "adminImport")
    expect([answer.status, answer.body]).toEqual([403, expect.stringContaining("INVALID_SIGNATURE")])
    expect((await replay(app.origin, callback, "avatar", "callback")).status).toBe(400)
    expect(await app.counts()).toEqual(ran)
    expect((await replay(app.origin, callback, "avatar")).status).toBe(200)
    expect(await app.counts()).toEqual({ ...ran, "avatar error": 2 })
  })
})
