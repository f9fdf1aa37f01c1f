import { describe, expect, test } from "vitest"
import { z } from "zod"
import { createSluice, UploadError } from "../../src/server.ts"
import { handlerOf, png, refused, renewRequest, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { networkError, useMockIngest } from "./mock-ingest.ts"
import { useQuickTimers } from "./quick-timers.ts"
import { callbackEvent, hookRequest } from "./signed-event.ts"

const ingest = useMockIngest()
const { linesWith } = useConsoleLines()
useQuickTimers()

const french = createSluice({ errorFormatter: ({ code, message }) => ({ langue: "fr", code, message }) })
const german = createSluice({ errorFormatter: () => ({ sprache: "de" }) })
const plain = createSluice()

describe("the error formatter", () => {
  const router = {
    fr: french({ image: {} }).onUploadComplete(() => 1),
    de: german({ image: {} }).onUploadComplete(() => 1),
    none: plain({ image: {} }).onUploadComplete(() => 1),
  }
  const tooMany = { files: [png, png] }

  test("of the route that failed, of several builders, fills the problem's data", async () => {
    const handle = handlerOf(router)
    const fr = await refused(await handle(uploadRequest("fr", tooMany)), "TOO_MANY_FILES", 400)
    expect(fr.data).toEqual({ langue: "fr", code: "TOO_MANY_FILES", message: fr.detail })
    const de = await refused(await handle(uploadRequest("de", tooMany)), "TOO_MANY_FILES", 400)
    expect(de.data).toEqual({ sprache: "de" })
    const none = await refused(await handle(uploadRequest("none", tooMany)), "TOO_MANY_FILES", 400)
    expect(none).not.toHaveProperty("data")
  })

  test("is asked for every action", async () => {
    const handle = handlerOf(router)
    const renewed = await refused(await handle(renewRequest("de", { urls: ["x"] })), "INVALID_SIGNATURE", 403)
    expect(renewed.data).toEqual({ sprache: "de" })
    const called = await refused(
      await handle(hookRequest(callbackEvent({ sentAt: 0, slug: "de" }), { slug: "de" })),
      "FORBIDDEN",
      403,
    )
    expect(called.data).toEqual({ sprache: "de" })
    ingest.answerRegistration(networkError, networkError, networkError)
    const response = await handle(uploadRequest("de", { files: [png] }))
    expect(response.headers.get("retry-after")).toBe("5")
    expect((await refused(response, "INGEST_UNAVAILABLE", 503)).data).toEqual({ sprache: "de" })
  })

  test("is not asked where no route is to blame", async () => {
    const handle = handlerOf(router)
    expect(await refused(await handle(uploadRequest("nowhere", tooMany)), "ROUTE_NOT_FOUND", 404)).not.toHaveProperty(
      "data",
    )
  })

  test("gets the very UploadError that user code threw", async () => {
    const seen: Array<unknown> = []
    const error = new UploadError({ code: "LOCKED", message: "Wait", data: { own: 1 }, cause: new Error("why") })
    const f = createSluice({ errorFormatter: (error) => (seen.push(error), { formatted: true }) })
    const router = {
      a: f({ image: {} })
        .middleware(() => {
          throw error
        })
        .onUploadComplete(() => 1),
    }
    const problem = await refused(await handlerOf(router)(uploadRequest("a", { files: [png] })), "LOCKED", 423)
    expect(seen[0]).toBe(error)
    expect(problem.data).toEqual({ formatted: true })
  })

  test("finds the issues of a refused input in the error's cause", async () => {
    const f = createSluice({
      errorFormatter: ({ cause }) => ({
        fields: (cause as Array<{ path: Array<string> }>).map(({ path }) => path.join(".")),
      }),
    })
    const router = {
      a: f({ image: {} })
        .input(z.object({ x: z.string(), y: z.number() }))
        .onUploadComplete(() => 1),
    }
    const problem = await refused(
      await handlerOf(router)(uploadRequest("a", { files: [png], input: {} })),
      "INVALID_INPUT",
      400,
    )
    expect(problem.data).toEqual({ fields: ["x", "y"] })
  })

  test("is never shown what an unforeseen error says", async () => {
    const seen: Array<unknown> = []
    const f = createSluice({ errorFormatter: (error) => void seen.push(error) })
    const router = {
      a: f({ image: {} })
        .middleware(() => {
          throw new Error("hunter2")
        })
        .onUploadComplete(() => 1),
    }
    await refused(await handlerOf(router)(uploadRequest("a", { files: [png] })), "ROUTE_FAILED", 500)
    expect(seen).toEqual([])
  })

  test.each([
    [
      "throws",
      () => {
        throw new Error("formatter is broken")
      },
    ],
    ["returns a BigInt", () => 1n as never],
    [
      "returns a cycle",
      () => {
        const a: { a?: object } = {}
        a.a = a
        return a as never
      },
    ],
  ])("that %s is logged and left out: the refusal stays what it was", async (_, errorFormatter) => {
    const f = createSluice({ errorFormatter })
    const router = { a: f({ image: {} }).onUploadComplete(() => 1) }
    const problem = await refused(await handlerOf(router)(uploadRequest("a", tooMany)), "TOO_MANY_FILES", 400)
    expect(problem).not.toHaveProperty("data")
    expect(linesWith("error", "errorFormatter of route", "threw an error")).toHaveLength(1)
  })

  test.each([
    ["undefined", () => undefined, undefined],
    ["null", () => null, null],
    ["a date", () => ({ at: new Date(0) as never }), { at: "1970-01-01T00:00:00.000Z" }],
  ])("that returns %s gives that as JSON", async (_, errorFormatter, data) => {
    const f = createSluice({ errorFormatter })
    const router = { a: f({ image: {} }).onUploadComplete(() => 1) }
    const problem = await refused(await handlerOf(router)(uploadRequest("a", tooMany)), "TOO_MANY_FILES", 400)
    expect(problem.data).toEqual(data)
  })
})
