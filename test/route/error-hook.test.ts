import { describe, expect, test, vi } from "vitest"
import { createSluice, UploadError } from "../../src/server.ts"
import { apiKey } from "./app-token.ts"
import { handlerOf, refused } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { networkError, useMockIngest } from "./mock-ingest.ts"
import { errorEvent, hookRequest, storedFile } from "./signed-event.ts"

const ingest = useMockIngest()
const { linesWith } = useConsoleLines()

const f = createSluice()
const onUploadComplete = vi.fn()
const fail = (onUploadError: Parameters<ReturnType<typeof f>["onUploadError"]>[0], event: object = errorEvent()) =>
  handlerOf({ a: f({ image: {} }).onUploadError(onUploadError).onUploadComplete(onUploadComplete) })(
    hookRequest(event, { hook: "error" }),
  )
const postedResults = () => ingest.results.map(({ text }) => JSON.parse(text))

describe("the error hook", () => {
  test("runs onUploadError with an UploadError, never onUploadComplete, and is answered after the result", async () => {
    const seen: Array<Record<string, unknown>> = []
    const event = errorEvent({ labels: { owner: "user-7", path: null } })
    const response = await fail(async (args) => void seen.push(args as never), event)
    expect([response.status, await response.json()]).toEqual([200, { ok: true }])
    const [{ error, request, req, ...rest }] = seen as [Record<string, unknown>]
    expect(error).toBeInstanceOf(UploadError)
    expect(error).toMatchObject({ code: "SIZE_MISMATCH", status: 413, message: "The upload never ended." })
    expect(request).toBe(req)
    expect(rest).toEqual({
      metadata: { userId: 7 },
      labels: { owner: "user-7", path: null },
      fileKey: storedFile.key,
      file: null,
      delivery: { id: "evt_2", attempt: 1, sentAt: expect.any(Number) },
    })
    expect(onUploadComplete).not.toHaveBeenCalled()
    expect(postedResults()).toEqual([{ fileKey: storedFile.key, eventId: "evt_2", callbackData: null }])
    expect(ingest.results[0]!.headers.get("x-sluice-api-key")).toBe(apiKey)
  })

  test("tells what the upload announced of the file, and nothing where an older ingest does not", async () => {
    const { key, name, size, type, customId } = storedFile
    const announced = { key, name, size, type, customId }
    const seen: Array<unknown> = []
    for (const event of [errorEvent({ file: { ...announced, later: 1 } }), errorEvent()])
      expect((await fail(({ file }) => void seen.push(file), event)).status).toBe(200)
    expect(seen).toEqual([announced, null])
  })

  test("of a route without onUploadError is 200", async () => {
    const handle = handlerOf({ a: f({ image: {} }).onUploadComplete(onUploadComplete) })
    expect((await handle(hookRequest(errorEvent(), { hook: "error" }))).status).toBe(200)
    expect(onUploadComplete).not.toHaveBeenCalled()
  })

  test("that throws is an opaque error, so that the event comes again", async () => {
    const problem = await refused(
      await fail(() => {
        throw new Error("password=hunter2")
      }),
      "ROUTE_FAILED",
      500,
    )
    expect(problem.detail).not.toContain("hunter2")
    expect(linesWith("error", "hunter2")).toHaveLength(1)
    expect(postedResults()).not.toContainEqual(expect.objectContaining({ callbackData: null }))
  })

  test("whose result does not reach the ingest is an error, so that the event comes again", async () => {
    ingest.answerResult(networkError)
    await refused(await fail(() => {}), "INGEST_UNAVAILABLE", 503)
  })

  test("with a code that a newer ingest may have is taken all the same", async () => {
    const codes: Array<string> = []
    const event = errorEvent({ error: { code: "VIRUS_FOUND", message: "It is one." } })
    const response = await fail(({ error }) => void codes.push(`${error.code} ${error.status} ${error.message}`), event)
    expect(response.status).toBe(200)
    expect(codes).toEqual(["INTERNAL_ERROR 500 It is one."])
  })
})
