import { afterEach, describe, expect, test, vi } from "vitest"
import fc from "fast-check"
import { createSluice } from "../../src/server.ts"
import { handlerOf, type Problem, problemOf, refused } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"
import { callbackEvent, errorEvent, hookRequest, sign, storedFile } from "./signed-event.ts"

const ingest = useMockIngest()
useConsoleLines()
afterEach(() => void vi.useRealTimers())

const f = createSluice()
const ran = vi.fn()
const router = { a: f({ image: {} }).onUploadError(ran).onUploadComplete(ran) }
const handle = handlerOf(router)

/** Whatever was refused ran nothing, told the ingest nothing and gave the API key to nobody. */
const nothingHappened = () => {
  expect(ran).not.toHaveBeenCalled()
  expect(ingest.results).toEqual([])
  expect(ingest.registrations).toEqual([])
}

const hooks = [
  ["callback", callbackEvent],
  ["error", errorEvent],
] as const

describe.each(hooks)("a signature that does not fit the %s", (hook, eventOf) => {
  const body = JSON.stringify(eventOf())
  const good = sign(body)

  test.each([
    ["is missing", null],
    ["is empty", ""],
    ["has no prefix", good.slice("hmac-sha256=".length)],
    ["has another prefix of the same length", `hmac-sha512=${good.slice(12)}`],
    ["has its prefix in capitals", good.replace("hmac-sha256", "HMAC-SHA256")],
    ["is too short", good.slice(0, -1)],
    ["is too long", `${good}0`],
    ["is no hex", `${good.slice(0, -1)}g`],
    ["is one digit off", good.slice(0, -1) + (good.endsWith("0") ? "1" : "0")],
    ["is of another key", sign(body, "sk_other")],
    ["is of no key", sign(body, "x").replace(/[0-9a-f]{64}/, "0".repeat(64))],
    ["is of another body", sign(`${body} `)],
    ["is of the body parsed and written again", sign(JSON.stringify(JSON.parse(body), null, 1))],
    ["lists only those of other keys", `${sign(body, "sk_other")}, ${sign(body, "sk_third")}`],
    ["hides behind many others", `${`${sign(body, "sk_other")},`.repeat(20)}${good}`],
  ])("because it %s is refused", async (_, signature) => {
    await refused(await handle(hookRequest(body, { hook, signature })), "INVALID_SIGNATURE", 403)
    nothingHappened()
  })
})

test("any one byte changed in a signed body is refused", async () => {
  const body = new TextEncoder().encode(JSON.stringify(callbackEvent()))
  const signature = sign(body)
  await fc.assert(
    fc.asyncProperty(fc.nat(body.length - 1), fc.integer({ min: 1, max: 255 }), async (at, change) => {
      const altered = Uint8Array.from(body)
      altered[at]! ^= change
      await refused(await handle(hookRequest(altered, { signature })), "INVALID_SIGNATURE", 403)
    }),
    { numRuns: 50 },
  )
  nothingHappened()
})

describe.each(hooks)("the age of the %s", (hook, eventOf) => {
  const now = Date.UTC(2026, 0, 1)
  const deliver = async (age: number, options = {}) => {
    vi.useFakeTimers({ now, toFake: ["Date"] })
    const router = {
      a: f({ image: {} })
        .onUploadError(() => {})
        .onUploadComplete(() => 1),
    }
    return handlerOf(router, options)(hookRequest(eventOf({ sentAt: now - age }), { hook }))
  }

  test.each([0, 300_000, -300_000])("may be %d ms", async (age) => {
    expect((await deliver(age)).status).toBe(200)
  })

  test.each([300_001, -300_001, 86_400_000, -1e15])("may not be %d ms", async (age) => {
    const problem = await refused(await deliver(age), "FORBIDDEN", 403)
    expect(problem.detail).toMatch(/at most 300 s .* clocks/)
    nothingHappened()
  })

  test.each([
    ["10 seconds", 10_000],
    [60, 60_000],
    ["1h", 3_600_000],
  ] as const)("may be the option callbackTolerance (%s)", async (callbackTolerance, ms) => {
    for (const age of [ms, -ms]) expect((await deliver(age, { callbackTolerance })).status).toBe(200)
    for (const age of [ms + 1, -ms - 1]) await refused(await deliver(age, { callbackTolerance }), "FORBIDDEN", 403)
  })
})

describe.each(hooks)("the origin of the %s", (hook, eventOf) => {
  test.each([
    "http://attacker.test",
    "http://ingest.test.attacker.test",
    "http://ingest.test@attacker.test",
    "http://ingest.test:8080",
    "https://ingest.test",
    "http://ingest.test/other",
    "http://INGEST.test",
    "",
  ])("%j is not the configured one: refused, and the API key goes nowhere", async (origin) => {
    const problem = await refused(await handle(hookRequest(eventOf({ origin }), { hook })), "FORBIDDEN", 403)
    expect(problem.detail).toContain("http://ingest.test")
    nothingHappened()
  })
})

describe.each(hooks)("the route a %s was signed for", (hook, eventOf) => {
  const twoRoutes = handlerOf({ ...router, b: router.a })

  test.each([
    ["another", JSON.stringify(eventOf({ slug: "b" }))],
    ["none", JSON.stringify(eventOf({ slug: undefined }))],
    ["null", JSON.stringify(eventOf({ slug: null }))],
    ["a list", JSON.stringify(eventOf({ slug: ["a"] }))],
    ["another in capitals", JSON.stringify(eventOf({ slug: "A" }))],
    ["null altogether", "null"],
  ])("is %s: refused before any user code", async (_, body) => {
    const problem = await refused(await twoRoutes(hookRequest(body, { hook })), "INVALID_SIGNATURE", 403)
    expect(problem.detail).toContain('"a"')
    nothingHappened()
  })

  test("is the query's: taken", async () => {
    expect((await twoRoutes(hookRequest(eventOf({ slug: "b" }), { hook, slug: "b" }))).status).toBe(200)
  })
})

describe("a signed body that is no event", () => {
  test.each([
    ["no JSON", "hello"],
    ["nothing", ""],
    ["without an id", JSON.stringify(callbackEvent({ id: "" }))],
    ["without a file", JSON.stringify(callbackEvent({ file: undefined }))],
    ["with a file without a key", JSON.stringify(callbackEvent({ file: { ...storedFile, key: undefined } }))],
    ["with a time that is text", JSON.stringify(callbackEvent({ sentAt: String(Date.now()) }))],
    ["without a time", JSON.stringify(callbackEvent({ sentAt: undefined }))],
    ["of another status", JSON.stringify(callbackEvent({ status: "failed" }))],
    ["of the other hook", JSON.stringify(errorEvent())],
  ])("%s is a bad request", async (_, body) => {
    await refused(await handle(hookRequest(body)), "BAD_REQUEST", 400)
    nothingHappened()
  })

  test("over 1 MiB is refused before it is verified", async () => {
    await refused(await handle(hookRequest(" ".repeat(1024 * 1024 + 1))), "BAD_REQUEST", 413)
    nothingHappened()
  })
})

describe("a hook that is none", () => {
  test.each(["Callback", "delete", "", "callback, error", "__proto__"])("%j is a bad request", async (hook) => {
    const problem = await refused(await handle(hookRequest(callbackEvent(), { hook })), "BAD_REQUEST", 400)
    expect(problem.detail).toContain("sluice-hook must be callback or error")
    nothingHappened()
  })

  test("does not make an upload of an upload request", async () => {
    const request = hookRequest(JSON.stringify({ files: [{ name: "a.png", size: 1, type: "image/png" }] }), {
      hook: "x",
    })
    const upload = new Request(`${request.url}&actionType=upload`, request)
    await refused(await handle(upload), "BAD_REQUEST", 400)
    nothingHappened()
  })
})

test.each(hooks)("a %s for a slug that is no route is 404", async (hook, eventOf) => {
  for (const slug of ["b", "__proto__", "constructor"]) {
    await refused(await handle(hookRequest(eventOf(), { hook, slug })), "ROUTE_NOT_FOUND", 404)
  }
  nothingHappened()
})

test("a refused callback never quotes the event", async () => {
  const event = callbackEvent({ metadata: { note: "hunter2" }, sentAt: 0 })
  const problems: Array<Problem> = [
    await problemOf(await handle(hookRequest(event))),
    await problemOf(await handle(hookRequest(event, { signature: sign("") }))),
    await problemOf(await handle(hookRequest({ ...event, file: "hunter2" }))),
  ]
  expect(JSON.stringify(problems)).not.toContain("hunter2")
})
