import { afterEach, beforeEach, describe, expect, test, vi } from "vitest"
import { createRouteHandler, createSluice } from "../../src/server.ts"
import { apiKey, createToken, token } from "./app-token.ts"
import { appUrl, type Handle, png, presigned, problemOf, refused, renewRequest, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { networkError, useMockIngest } from "./mock-ingest.ts"
import { useQuickTimers } from "./quick-timers.ts"
import { callbackEvent, hookRequest } from "./signed-event.ts"

const ingest = useMockIngest()
const { linesWith } = useConsoleLines()
useQuickTimers()
beforeEach(() => {
  for (const name of Object.keys(process.env)) if (name.startsWith("SLUICE_")) vi.stubEnv(name, undefined)
  vi.stubEnv("NODE_ENV", "test")
  vi.stubEnv("SLUICE_ALLOWED_HOSTS", "app.test")
})
afterEach(() => {
  vi.unstubAllEnvs()
  vi.useRealTimers()
})

const f = createSluice()
const router = { a: f({ image: {} }).onUploadComplete(() => 1) }
type Options = Omit<Parameters<typeof createRouteHandler>[0], "router">
const handlerWith = (options: Options | Record<string, unknown> = {}): Handle =>
  createRouteHandler({ router, ...(options as Options) })
const upload = (handle: Handle) => handle(uploadRequest("a", { files: [png] }))
const get = (handle: Handle) => handle(new Request(appUrl))
const registered = () => JSON.parse(ingest.registrations.at(-1)!.text)

describe("the environment", () => {
  test("gives every option that the options do not", async () => {
    vi.stubEnv("SLUICE_TOKEN", createToken({ ingestUrl: undefined }))
    vi.stubEnv("SLUICE_INGEST_URL", "http://ingest.test/")
    vi.stubEnv("SLUICE_CALLBACK_URL", "https://app.example.com/hooks?x=1")
    vi.stubEnv("SLUICE_CALLBACK_TOLERANCE", "10 seconds")
    vi.stubEnv("SLUICE_LOG_LEVEL", "Error")
    vi.stubEnv("SLUICE_LOG_FORMAT", "text")
    const handle = handlerWith()
    await presigned(await upload(handle))
    expect(registered()).toMatchObject({ callbackUrl: "https://app.example.com/hooks?x=1", isDev: false })
    vi.useFakeTimers({ toFake: ["Date"] })
    const sentAt = Date.now()
    expect((await handle(hookRequest(callbackEvent({ sentAt: sentAt - 10_000 })))).status).toBe(200)
    await refused(await handle(hookRequest(callbackEvent({ sentAt: sentAt - 10_001 }))), "FORBIDDEN", 403)
    vi.useRealTimers()
    ingest.answerRegistration(networkError, networkError, networkError)
    await problemOf(await upload(handle))
    expect(linesWith("error", "[sluice] error: The ingest did not accept the registration")).toHaveLength(1)
  })

  test.each([
    ["true", true],
    ["1", true],
    ["false", false],
    ["0", false],
  ])("SLUICE_IS_DEV=%s and SLUICE_TRUST_PROXY=%s are read as flags", async (text, isSet) => {
    vi.stubEnv("NODE_ENV", isSet ? "production" : "development")
    vi.stubEnv("SLUICE_TOKEN", token)
    vi.stubEnv("SLUICE_IS_DEV", text)
    vi.stubEnv("SLUICE_TRUST_PROXY", text)
    const work: Array<Promise<unknown>> = []
    const headers = { "x-forwarded-host": "public.example.com" }
    const handle = handlerWith({ waitUntil: (promise: Promise<unknown>) => work.push(promise) })
    await presigned(await handle(uploadRequest("a", { files: [png] }, { headers })))
    await Promise.all(work)
    expect(registered()).toMatchObject({
      isDev: isSet,
      callbackUrl: isSet ? "http://public.example.com/api/sluice" : appUrl,
    })
  })

  test("loses against the options, false and all", async () => {
    vi.stubEnv("SLUICE_TOKEN", "nonsense")
    vi.stubEnv("SLUICE_INGEST_URL", "http://nowhere.test")
    vi.stubEnv("SLUICE_CALLBACK_URL", "http://nowhere.test")
    vi.stubEnv("SLUICE_IS_DEV", "true")
    vi.stubEnv("SLUICE_TRUST_PROXY", "true")
    vi.stubEnv("SLUICE_LOG_LEVEL", "nonsense")
    const options = {
      token,
      ingestUrl: "http://ingest.test",
      callbackUrl: "http://app.example.com/",
      isDev: false,
      trustProxy: false,
      logLevel: "None",
    }
    await presigned(await upload(handlerWith(options)))
    expect(registered()).toMatchObject({ callbackUrl: "http://app.example.com/", isDev: false })
  })

  test("with empty variables is as without them", async () => {
    for (const name of [
      "INGEST_URL",
      "CALLBACK_URL",
      "LOG_LEVEL",
      "LOG_FORMAT",
      "IS_DEV",
      "TRUST_PROXY",
      "CALLBACK_TOLERANCE",
    ]) {
      vi.stubEnv(`SLUICE_${name}`, "")
    }
    await presigned(await upload(handlerWith({ token })))
    expect(registered()).toMatchObject({ callbackUrl: appUrl, isDev: false })
    vi.stubEnv("SLUICE_TOKEN", "")
    await refused(await upload(handlerWith()), "MISSING_TOKEN", 500)
  })

  test("is read at the first request: not at import, not when the handler is made, not again", async () => {
    const handle = handlerWith()
    vi.stubEnv("SLUICE_TOKEN", token)
    await presigned(await upload(handle))
    vi.stubEnv("SLUICE_TOKEN", "nonsense")
    await presigned(await upload(handle))
  })

  test("is not needed at all: a platform without process works by options alone", async () => {
    const { process } = globalThis
    vi.stubGlobal("process", undefined)
    const answer = get(handlerWith({ token }))
    vi.stubGlobal("process", process)
    vi.unstubAllGlobals()
    expect((await answer).status).toBe(200)
  })
})

describe("a configuration that is wrong", () => {
  test.each([
    ["logLevel", "LOG_LEVEL", "loud"],
    ["logFormat", "LOG_FORMAT", "xml"],
    ["ingestUrl", "INGEST_URL", "localhost:4790"],
    ["ingestUrl", "INGEST_URL", "ftp://ingest.test"],
    ["callbackUrl", "CALLBACK_URL", "/api/sluice"],
    ["allowedHosts", "ALLOWED_HOSTS", "https://app.example.com"],
    ["allowedHosts", "ALLOWED_HOSTS", "app.example.com/api"],
    ["allowedHosts", "ALLOWED_HOSTS", "*"],
    ["allowedHosts", "ALLOWED_HOSTS", "app.*.com"],
    ["allowedHosts", "ALLOWED_HOSTS", "app.example.com:"],
    ["allowedHosts", "ALLOWED_HOSTS", "app.example.com,,other.example.com"],
    ["isDev", "IS_DEV", "yes"],
    ["trustProxy", "TRUST_PROXY", "on"],
    ["callbackTolerance", "CALLBACK_TOLERANCE", "5 fortnights"],
    ["callbackTolerance", "CALLBACK_TOLERANCE", "-5"],
  ])("answers every request with a problem that names %s (SLUICE_%s=%s)", async (option, variable, value) => {
    vi.stubEnv(`SLUICE_${variable}`, value)
    const handles = [handlerWith({ token })]
    vi.unstubAllEnvs()
    const first = await get(handlerWith({ token, [option]: value }))
    vi.stubEnv(`SLUICE_${variable}`, value)
    for (const response of [first, await get(handles[0]!), await upload(handles[0]!), await get(handles[0]!)]) {
      const problem = await refused(response, "INVALID_CONFIG", 500)
      expect(problem.detail).toContain(option)
    }
    expect(ingest.registrations).toEqual([])
  })

  test("tells of every wrong option at once", async () => {
    const { detail } = await refused(
      await get(handlerWith({ token, logLevel: "loud", isDev: "yes" })),
      "INVALID_CONFIG",
      500,
    )
    expect(detail).toContain("logLevel")
    expect(detail).toContain("isDev")
  })

  test("never quotes a token of the wrong kind", async () => {
    const { detail } = await refused(await get(handlerWith({ token: { apiKey } })), "INVALID_CONFIG", 500)
    expect(detail).toContain("token")
    expect(detail).not.toContain(apiKey)
  })

  test("with a route that was never finished names the route and what is missing", async () => {
    const unfinished = { a: router.a, b: f({ image: {} }).middleware(() => ({})) } as never
    const { detail } = await refused(
      await get(createRouteHandler({ router: unfinished, token })),
      "INVALID_CONFIG",
      500,
    )
    expect(detail).toMatch(/"b".*onUploadComplete/)
  })

  test.each([undefined, null, "router"])("with a router that is %j says so", async (wrong) => {
    const { detail } = await refused(
      await get(createRouteHandler({ router: wrong as never, token })),
      "INVALID_CONFIG",
      500,
    )
    expect(detail).toContain("router")
  })
})

describe("the token", () => {
  const padded = (json: unknown) => Buffer.from(JSON.stringify(json)).toString("base64")
  const key = "sk_very_secret_value"

  test.each([
    ["a missing token", undefined, "MISSING_TOKEN", /SLUICE_TOKEN/],
    ["what is no base64", "%%%", "INVALID_TOKEN", /base64/],
    ["what is no JSON", "aGVsbG8=", "INVALID_TOKEN", /JSON/],
    ["a missing field", padded({ apiKey: key, regions: ["x"] }), "INVALID_TOKEN", /appId/],
    [
      "a key without sk_",
      padded({ apiKey: "pk_very_secret_value", appId: "a", regions: ["x"] }),
      "INVALID_TOKEN",
      /apiKey/,
    ],
    ["no region", padded({ apiKey: key, appId: "a", regions: [] }), "INVALID_TOKEN", /regions/],
    ["a whole pasted line", `SLUICE_TOKEN='${token}'`, "INVALID_TOKEN", /whole line/],
    ["a token without an ingest", createToken({ ingestUrl: undefined }), "INVALID_CONFIG", /SLUICE_INGEST_URL/],
  ] as const)("%s stops what needs it, and only that", async (_, wrong, code, detail) => {
    const handle = handlerWith({ token: wrong })
    expect((await get(handle)).status).toBe(200)
    for (const request of [
      uploadRequest("a", { files: [png] }),
      renewRequest("a", { urls: ["x"] }),
      hookRequest(callbackEvent()),
    ]) {
      const problem = await refused(await handle(request), code, 500)
      expect(problem.detail).toMatch(detail)
      expect(JSON.stringify(problem)).not.toMatch(/very_secret_value/)
    }
    await refused(await handle(new Request(appUrl, { method: "PUT" })), "METHOD_NOT_ALLOWED", 405)
    expect(ingest.registrations).toEqual([])
  })
})

describe("the configuration is built once", () => {
  test("for any number of requests, and for the first ones at the same time", async () => {
    let read = 0
    let encoded = 0
    const watched = {
      get a() {
        read++
        return router.a
      },
    }
    const options = {
      router: watched,
      get token() {
        encoded++
        return token
      },
    }
    const handle = createRouteHandler(options)
    expect([read, encoded]).toEqual([0, 0])
    await Promise.all([get(handle), upload(handle), upload(handle)])
    await upload(handle)
    expect([read, encoded]).toEqual([1, 1])
  })

  test("and a handler of its own for every call: two apps live side by side", async () => {
    const other = ingest.watch("http://other.test/route-metadata")
    const [one, two] = [
      handlerWith({ token }),
      handlerWith({ token: createToken({ appId: "two", ingestUrl: "http://other.test" }) }),
    ]
    const [[a], [b]] = await Promise.all([upload(one).then(presigned), upload(two).then(presigned)])
    expect(a!.url.startsWith("http://ingest.test/")).toBe(true)
    expect(b!.url.startsWith("http://other.test/")).toBe(true)
    expect(other).toHaveLength(1)
  })
})
