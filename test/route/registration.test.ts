import { describe, expect, test, vi } from "vitest"
import { createSluice } from "../../src/server.ts"
import { apiKey, encodedAppId } from "./app-token.ts"
import { grantOf, handlerOf, png, presigned, refused, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { type Answer, json, networkError, useMockIngest } from "./mock-ingest.ts"
import { useQuickTimers } from "./quick-timers.ts"

const ingest = useMockIngest()
const { linesWith } = useConsoleLines()
const timers = useQuickTimers()

const f = createSluice()
const router = {
  avatar: f({ image: { maxFileCount: 3 } })
    .middleware(() => ({ userId: 7 }))
    .onUploadComplete(() => 1),
}
const upload = (options = {}) => handlerOf(router, options)(uploadRequest("avatar", { files: [png] }))

describe("a registration", () => {
  test("says which files to expect and whom to call back, with the API key", async () => {
    const files = [png, { ...png, name: "b.png" }]
    const uploads = await presigned(await handlerOf(router)(uploadRequest("avatar", { files })))
    expect(ingest.registrations).toHaveLength(1)
    const [{ headers, text, method, url }] = ingest.registrations as [(typeof ingest.registrations)[number]]
    expect([method, url]).toEqual(["POST", "http://ingest.test/route-metadata"])
    expect(headers.get("content-type")).toBe("application/json")
    expect(headers.get("x-sluice-api-key")).toBe(apiKey)
    const { registrationId, expires } = await grantOf(uploads[0]!.url)
    expect(registrationId).toMatch(/^[\w-]{22}$/)
    expect(JSON.parse(text)).toEqual({
      sentAt: expect.closeTo(Date.now(), -5),
      id: registrationId,
      expires,
      fileKeys: uploads.map(({ key }) => key),
      metadata: { userId: 7 },
      callbackUrl: "http://app.test/api/sluice",
      callbackSlug: "avatar",
      awaitServerData: true,
      isDev: false,
    })
    expect(uploads.every(({ key }) => key.startsWith(encodedAppId))).toBe(true)
  })

  test("says so where nobody waits for the server's data", async () => {
    const router = { a: f({ image: {} }, { awaitServerData: false }).onUploadComplete(() => 1) }
    await presigned(await handlerOf(router)(uploadRequest("a", { files: [png] })))
    expect(JSON.parse(ingest.registrations[0]!.text)).toMatchObject({ awaitServerData: false, metadata: {} })
  })

  test("holds neither the client's headers nor its input", async () => {
    const request = uploadRequest("avatar", { files: [png], input: "private" }, { headers: { cookie: "session=5" } })
    await presigned(await handlerOf(router)(request))
    expect(ingest.registrations[0]!.headers.get("cookie")).toBeNull()
    expect(ingest.registrations[0]!.text).not.toContain("private")
  })

  test("goes through the option fetch, where one is given", async () => {
    const fetch = vi.fn<typeof globalThis.fetch>(async () => Response.json({ ok: true }))
    await presigned(await upload({ fetch }))
    expect(fetch.mock.calls.map(([url]) => url)).toEqual(["http://ingest.test/route-metadata"])
    expect(ingest.registrations).toEqual([])
  })
})

const status =
  (code: number): Answer =>
  () =>
    json({ code: "INTERNAL_ERROR", detail: "The store is full of eels" }, code)

describe("a registration that fails", () => {
  test.each([
    ["the network fails", networkError],
    ["the ingest answers 500", status(500)],
    ["the ingest answers 503", status(503)],
    ["the ingest answers 429", status(429)],
    ["the ingest answers 408", status(408)],
  ])("is tried again when %s, and the client never knows", async (_, failure: Answer) => {
    ingest.answerRegistration(failure, failure)
    await presigned(await upload())
    expect(ingest.registrations).toHaveLength(3)
    expect(new Set(ingest.registrations.map(({ text }) => text.replace(/"sentAt":\d+,/, ""))).size).toBe(1)
    const [first, second, ...more] = timers.pauses
    expect(more).toEqual([])
    expect(first).toBeGreaterThanOrEqual(200)
    expect(first).toBeLessThanOrEqual(300)
    expect(second).toBeGreaterThanOrEqual(600)
    expect(second).toBeLessThanOrEqual(900)
    expect(linesWith("error")).toEqual([])
  })

  test.each([
    ["the network fails", networkError],
    ["the ingest answers 502", status(502)],
  ])("three times because %s is INGEST_UNAVAILABLE, with no URL", async (_, failure: Answer) => {
    ingest.answerRegistration(failure, failure, failure)
    const response = await upload()
    expect(response.headers.get("retry-after")).toBe("5")
    const problem = await refused(response, "INGEST_UNAVAILABLE", 503)
    expect(JSON.stringify(problem)).not.toMatch(/ingest\.test|eels|signature/)
    expect(ingest.registrations).toHaveLength(3)
    expect(linesWith("error", "The ingest did not accept the registration", "http://ingest.test")).toHaveLength(1)
  })

  test.each([[429, "RATE_LIMITED", 3] as const, [507, "QUOTA_EXCEEDED", 1] as const])(
    "with %d tells the client that there is no room for the app's uploads: %s",
    async (code, expected, times) => {
      ingest.answerRegistration(status(code), status(code), status(code))
      const response = await upload()
      expect(response.headers.get("retry-after")).toBe("60")
      const problem = await refused(response, expected, code)
      expect(JSON.stringify(problem)).not.toMatch(/ingest\.test|eels|signature/)
      expect(ingest.registrations).toHaveLength(times)
    },
  )

  test.each([400, 404, 409, 413, 422])("with %d is not tried again", async (code) => {
    ingest.answerRegistration(status(code))
    const problem = await refused(await upload(), "INTERNAL_ERROR", 500)
    expect(problem.detail).toContain("refused the registration")
    expect(problem.detail).not.toContain("eels")
    expect(ingest.registrations).toHaveLength(1)
    expect(linesWith("error", "eels", String(code))).toHaveLength(1)
  })

  test.each([401, 403])("with %d says that the token is not accepted, once", async (code) => {
    ingest.answerRegistration(status(code))
    const problem = await refused(await upload(), "INVALID_TOKEN", 500)
    expect(problem.detail).toContain("SLUICE_TOKEN")
    expect(ingest.registrations).toHaveLength(1)
  })

  test("because callbacks may not go there names the origin and the setting, and logs what the ingest said", async () => {
    const detail =
      "Callbacks of this app may not go to http://app.test. The ingest's operator allows: https://inner.test."
    ingest.answerRegistration(() =>
      json({ code: "FORBIDDEN", detail, data: { callbackOrigin: "http://app.test" } }, 403),
    )
    const problem = await refused(await upload(), "INVALID_CONFIG", 500)
    expect(problem.detail).toContain("http://app.test")
    expect(problem.detail).toContain("SLUICE_CALLBACK_URL")
    expect(JSON.stringify(problem)).not.toMatch(/SLUICE_TOKEN|inner\.test/)
    expect(ingest.registrations).toHaveLength(1)
    expect(linesWith("error", "SLUICE_CALLBACK_URL", "https://inner.test")).toHaveLength(1)
  })

  test.each([
    ["no JSON", "<h1>Forbidden</h1>"],
    ["nothing", ""],
    ["null", "null"],
    ["cut off", '{"code":"FORBIDDEN","detail":"A file key'],
    ["a list", "[]"],
  ])("with 403 and a body that is %s is a token that is not accepted, or a proxy", async (name, body) => {
    ingest.answerRegistration(() => new Response(body, { status: 403 }))
    const { detail } = await refused(await upload(), "INVALID_TOKEN", 500)
    expect(detail).toContain("SLUICE_TOKEN")
    // What is no answer of an ingest may be a proxy's.
    expect(/proxy.*POST/.test(detail)).toBe(name !== "cut off")
  })

  test.each([301, 302, 303, 307, 308])("a redirect (%d) is not followed: the API key stays here", async (code) => {
    const elsewhere = ingest.watch("http://attacker.test/route-metadata")
    ingest.answerRegistration(
      () => new Response(null, { status: code, headers: { location: "http://attacker.test/route-metadata" } }),
    )
    await refused(await upload(), "INTERNAL_ERROR", 500)
    expect(elsewhere).toEqual([])
    expect(ingest.registrations).toHaveLength(1)
  })

  test("because the ingest does not answer in time is tried again", async () => {
    timers.expire(10_000)
    const never: Answer = () => new Promise<Response>(() => {})
    ingest.answerRegistration(never, never, never)
    await refused(await upload(), "INGEST_UNAVAILABLE", 503)
    expect(ingest.registrations).toHaveLength(3)
  })

  test("is logged without the API key, should the ingest send it back", async () => {
    ingest.answerRegistration(({ headers }) => json({ detail: `bad key ${headers.get("x-sluice-api-key")}` }, 400))
    await refused(await upload(), "INTERNAL_ERROR", 500)
    expect(linesWith("error", "bad key sk_<redacted>")).toHaveLength(1)
  })
})

describe("waitUntil", () => {
  test("the client is answered at once, the promise settles when the ingest has acknowledged", async () => {
    const work: Array<Promise<unknown>> = []
    let acknowledge = () => {}
    ingest.answerRegistration(async () => {
      await new Promise<void>((resolve) => (acknowledge = resolve))
      return json({ ok: true })
    })
    await presigned(await upload({ waitUntil: (promise: Promise<unknown>) => work.push(promise) }))
    expect(work).toHaveLength(1)
    let isSettled = false
    const settled = work[0]!.then(() => (isSettled = true))
    await vi.waitFor(() => expect(ingest.registrations).toHaveLength(1))
    expect(isSettled).toBe(false)
    acknowledge()
    await settled
  })

  test("a registration that fails is tried again, then logged; the promise still resolves", async () => {
    const work: Array<Promise<unknown>> = []
    ingest.answerRegistration(networkError, networkError, networkError)
    await presigned(await upload({ waitUntil: (promise: Promise<unknown>) => work.push(promise) }))
    await expect(work[0]).resolves.toBeUndefined()
    expect(ingest.registrations).toHaveLength(3)
    expect(linesWith("error", "The ingest did not accept the registration")).toHaveLength(1)
  })

  test("nothing is handed over for a request that is refused", async () => {
    const waitUntil = vi.fn()
    await refused(await handlerOf(router, { waitUntil })(uploadRequest("avatar", { files: [] })), "BAD_REQUEST", 400)
    expect(waitUntil).not.toHaveBeenCalled()
  })
})
