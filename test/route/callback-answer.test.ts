import { afterEach, describe, expect, test, vi } from "vitest"
import { limits } from "../../src/protocol.ts"
import { createSluice, UploadError } from "../../src/server.ts"
import { handlerOf } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { networkError, useMockIngest } from "./mock-ingest.ts"
import { callbackEvent, errorEvent, hookRequest, sign, storedFile } from "./signed-event.ts"

const ingest = useMockIngest()
const { linesWith } = useConsoleLines()
const f = createSluice()

afterEach(() => void vi.restoreAllMocks())

/** A callback whose sender reads the result in the answer. */
const ask = (event: object, hook = "callback") => {
  const request = hookRequest(event, { hook })
  request.headers.set("sluice-accept", "result")
  return request
}
const complete = (onUploadComplete: () => unknown, event: object = callbackEvent()) =>
  handlerOf({ a: f({ image: {} }).onUploadComplete(onUploadComplete) })(ask(event))

/** What docs/protocol.md §8 wants signed. */
const signed = (text: string, id = "evt_1", attempt = 1) => sign(`sluice-result\n${id}\n${attempt}\n${text}`)

describe("a callback whose sender reads the result in the answer", () => {
  test("is answered with what onUploadComplete returned, signed, and nothing is posted", async () => {
    const response = await complete(() => ({ url: "ü" }))
    const text = await response.text()
    expect(response.status).toBe(200)
    expect(JSON.parse(text)).toEqual({ fileKey: storedFile.key, eventId: "evt_1", callbackData: { url: "ü" } })
    expect(response.headers.get("x-sluice-signature")).toBe(signed(text))
    expect(response.headers.get("content-type")).toBe("application/json")
    // Nothing on the way may keep it or change its bytes.
    expect(response.headers.get("cache-control")).toBe("no-store, no-transform")
    expect(ingest.results).toEqual([])
  })

  test("is signed for its own event and attempt", async () => {
    const response = await complete(() => 1, callbackEvent({ id: "evt_9", attempt: 3 }))
    expect(response.headers.get("x-sluice-signature")).toBe(signed(await response.text(), "evt_9", 3))
  })

  test.each([
    ["an UploadError", () => new UploadError({ code: "QUOTA_EXCEEDED", message: "Your plan is full." }), 507],
    [
      "an UploadError with a status of its own",
      () => new UploadError({ code: "FORBIDDEN", message: "Your plan is full.", status: 410 }),
      410,
    ],
  ])("is answered with %s, with its status", async (_, toError, status) => {
    const response = await complete(() => {
      throw toError()
    })
    const text = await response.text()
    expect(response.status).toBe(status)
    expect(JSON.parse(text)).toEqual({
      fileKey: storedFile.key,
      eventId: "evt_1",
      attempt: 1,
      error: "Your plan is full.",
    })
    expect(response.headers.get("x-sluice-signature")).toBe(signed(text))
    expect(ingest.results).toEqual([])
  })

  test("tells of another error only where the log has it", async () => {
    const response = await complete(() => {
      throw new Error("hunter2")
    })
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(JSON.parse(text).error).toMatch(/^The app's onUploadComplete failed\. Its log has it under [\w-]{36}\.$/)
    expect(response.headers.get("x-sluice-signature")).toBe(signed(text))
    expect(linesWith("error", "hunter2")).toHaveLength(1)
  })

  test("is answered with an error where what was returned is no JSON", async () => {
    const response = await complete(() => 1n)
    const text = await response.text()
    expect(response.status).toBe(500)
    expect(JSON.parse(text)).toMatchObject({
      fileKey: storedFile.key,
      error: expect.stringMatching(/onUploadComplete/),
    })
    expect(response.headers.get("x-sluice-signature")).toBe(signed(text))
  })

  test("has a result that is too large for an answer posted, and is answered after that", async () => {
    const most =
      limits.callbackAnswer - JSON.stringify({ fileKey: storedFile.key, eventId: "evt_1", callbackData: "" }).length
    const fits = await complete(() => "x".repeat(most))
    expect(fits.headers.has("x-sluice-signature")).toBe(true)
    expect(ingest.results).toEqual([])
    const large = await complete(() => "x".repeat(most + 1))
    expect([large.status, large.headers.has("x-sluice-signature"), await large.json()]).toEqual([
      200,
      false,
      { ok: true },
    ])
    expect(ingest.results).toHaveLength(1)
    ingest.answerResult(networkError)
    const lost = await complete(() => "x".repeat(most + 1))
    expect([lost.status, lost.headers.has("x-sluice-signature")]).toEqual([503, false])
  })

  test("has a result posted for which it had to wait so long that its connection may be gone", async () => {
    let time = 0
    vi.spyOn(performance, "now").mockImplementation(() => time)
    const response = await complete(() => {
      time += 5001
      return "late"
    })
    expect([response.headers.has("x-sluice-signature"), await response.json()]).toEqual([false, { ok: true }])
    expect(JSON.parse(ingest.results[0]!.text)).toMatchObject({ callbackData: "late" })
  })

  test("has a long error cut, so that it fits into the answer", async () => {
    const response = await complete(() => {
      throw new UploadError({ code: "FORBIDDEN", message: "x".repeat(70_000) })
    })
    expect(response.headers.has("x-sluice-signature")).toBe(true)
    expect((await response.json()).error).toBe("x".repeat(limits.callbackError))
  })

  test("of a failed upload is answered in the same way", async () => {
    const seen: Array<string> = []
    const route = f({ image: {} })
      .onUploadError(({ error }) => void seen.push(error.code))
      .onUploadComplete(() => null)
    const response = await handlerOf({ a: route })(ask(errorEvent(), "error"))
    const text = await response.text()
    expect(JSON.parse(text)).toEqual({ fileKey: storedFile.key, eventId: "evt_2", callbackData: null })
    expect(response.headers.get("x-sluice-signature")).toBe(signed(text, "evt_2"))
    expect(seen).toEqual(["SIZE_MISMATCH"])
    expect(ingest.results).toEqual([])
  })

  test.each([
    ["is not signed", null],
    ["is signed with another key", sign(JSON.stringify(callbackEvent()), "sk_other")],
  ])("gets nothing signed where it %s", async (_, signature) => {
    const request = hookRequest(callbackEvent(), { signature })
    request.headers.set("sluice-accept", "result")
    const response = await handlerOf({ a: f({ image: {} }).onUploadComplete(() => 1) })(request)
    expect([response.status, response.headers.has("x-sluice-signature")]).toEqual([403, false])
  })

  test("posts where the header says something it does not know", async () => {
    const request = hookRequest(callbackEvent())
    request.headers.set("sluice-accept", "result-2")
    const response = await handlerOf({ a: f({ image: {} }).onUploadComplete(() => 1) })(request)
    expect([response.headers.has("x-sluice-signature"), await response.json()]).toEqual([false, { ok: true }])
    expect(ingest.results).toHaveLength(1)
  })
})
