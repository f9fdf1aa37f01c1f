import { describe, expect, test, vi } from "vitest"
import { createSluice, UploadError } from "../../src/server.ts"
import { apiKey, createToken } from "./app-token.ts"
import { handlerOf, refused } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { json, networkError, useMockIngest } from "./mock-ingest.ts"
import { useQuickTimers } from "./quick-timers.ts"
import { callbackEvent, hookRequest, sign, storedFile } from "./signed-event.ts"

const ingest = useMockIngest()
const { linesWith } = useConsoleLines()
const timers = useQuickTimers()

const f = createSluice()
type Complete = Parameters<ReturnType<typeof f>["onUploadComplete"]>[0]
const complete = (
  onUploadComplete: (...args: Parameters<Complete>) => unknown,
  event: object | string = callbackEvent(),
) => handlerOf({ a: f({ image: {} }).onUploadComplete(onUploadComplete) })(hookRequest(event))
const postedResults = () => ingest.results.map(({ text }) => JSON.parse(text))

describe("a callback", () => {
  test("runs onUploadComplete once, posts what it returned with the API key, and is answered after that", async () => {
    const steps: Array<string> = []
    const onUploadComplete = vi.fn(async () => {
      steps.push("onUploadComplete")
      return { url: "x" }
    })
    let take = () => {}
    ingest.answerResult(async () => {
      steps.push("result")
      await new Promise<void>((resolve) => (take = resolve))
      steps.push("taken")
      return json({ ok: true })
    })
    const answer = complete(onUploadComplete).then((response) => {
      steps.push("answer")
      return response
    })
    await vi.waitFor(() => expect(ingest.results).toHaveLength(1))
    await new Promise((resolve) => setImmediate(resolve))
    take()
    const response = await answer
    expect([response.status, await response.json()]).toEqual([200, { ok: true }])
    expect(steps).toEqual(["onUploadComplete", "result", "taken", "answer"])
    expect(onUploadComplete).toHaveBeenCalledTimes(1)
    expect(ingest.results).toHaveLength(1)
    const [{ headers, method, url }] = ingest.results as [(typeof ingest.results)[number]]
    expect([method, url]).toEqual(["POST", "http://ingest.test/callback-result"])
    expect(headers.get("content-type")).toBe("application/json")
    expect(headers.get("x-sluice-api-key")).toBe(apiKey)
    expect(postedResults()).toEqual([{ fileKey: storedFile.key, eventId: "evt_1", callbackData: { url: "x" } }])
    expect(ingest.registrations).toEqual([])
  })

  test.each([
    ["first", (mine: string, other: string) => `${mine}, ${other}`],
    ["second", (mine: string, other: string) => `${other},${mine}`],
  ])("is taken when this app's signature is the %s of two", async (_, list) => {
    const event = JSON.stringify(callbackEvent())
    const signature = list(sign(event), sign(event, "sk_other"))
    const handle = handlerOf({ a: f({ image: {} }).onUploadComplete(() => "done") })
    expect((await handle(hookRequest(event, { signature }))).status).toBe(200)
    expect(postedResults()).toEqual([{ fileKey: storedFile.key, eventId: "evt_1", callbackData: "done" }])
  })

  test.each([
    ["of nobody, as an ingest of before sends it", {}, { owner: null, path: null }],
    ["of somebody", { labels: { owner: "user-7", path: "a/b" } }, { owner: "user-7", path: "a/b" }],
  ])("shows user code the request, the file %s, the metadata and which delivery it is", async (_, said, labels) => {
    const seen: Array<Record<string, unknown>> = []
    const request = hookRequest(callbackEvent({ attempt: 3, sentAt: Date.now(), ...said }))
    const { sentAt } = (await request.clone().json()) as { sentAt: number }
    const handle = handlerOf({ a: f({ image: {} }).onUploadComplete((args) => void seen.push(args as never)) })
    expect((await handle(request)).status).toBe(200)
    const [{ req, request: web, ...rest }] = seen as [Record<string, unknown>]
    expect(req).toBe(request)
    expect(web).toBe(request)
    expect(rest).toEqual({
      file: storedFile,
      metadata: { userId: 7 },
      labels,
      delivery: { id: "evt_1", attempt: 3, sentAt },
    })
  })

  test("is taken at an ingest with a base path, and the result goes below it", async () => {
    const results = ingest.watch("http://host.test/base/callback-result")
    const handle = handlerOf({ a: f({ image: {} }).onUploadComplete(() => 1) }, { ingestUrl: "http://host.test/base/" })
    expect((await handle(hookRequest(callbackEvent({ origin: "http://host.test/base" })))).status).toBe(200)
    expect(results).toHaveLength(1)
  })

  test("delivered twice runs twice: the app deduplicates by the event's id", async () => {
    const ids: Array<string> = []
    const handle = handlerOf({ a: f({ image: {} }).onUploadComplete(({ delivery }) => void ids.push(delivery.id)) })
    for (const attempt of [1, 2]) expect((await handle(hookRequest(callbackEvent({ attempt })))).status).toBe(200)
    expect(ids).toEqual(["evt_1", "evt_1"])
  })

  const body = JSON.stringify(callbackEvent())
  test.each([
    ["odd whitespace", `\r\n\t ${body.replaceAll(",", " ,\n")}  \n`],
    [
      "escapes where none are needed",
      body.replaceAll("cat", String.raw`\u0063\u0061t`).replaceAll("/", String.raw`\/`),
    ],
    ["a byte order mark", `\ufeff${body}`],
    ["a field twice", body.replace('"attempt":1', '"attempt":9,"attempt":1')],
    ["fields this version does not know", JSON.stringify(callbackEvent({ region: "eu" } as object))],
    ["characters of four bytes", JSON.stringify(callbackEvent({ file: { ...storedFile, name: "👩‍👧.png" } }))],
  ])("is verified over its raw bytes: %s", async (_, text) => {
    expect((await complete(() => 1, text)).status).toBe(200)
    expect(postedResults()).toEqual([{ fileKey: storedFile.key, eventId: "evt_1", callbackData: 1 }])
  })
})

describe("what onUploadComplete returns", () => {
  test.each([
    ["nothing", () => {}, null],
    ["a promise of nothing", async () => {}, null],
    ["null", () => null, null],
    ["false", () => false, false],
    ["a string", () => "x", "x"],
    ["a date", () => new Date(0), "1970-01-01T00:00:00.000Z"],
    ["dates and undefined inside", () => ({ at: new Date(0), none: undefined }), { at: "1970-01-01T00:00:00.000Z" }],
    ["a function", () => () => 1, null],
    ["a symbol", () => Symbol("x"), null],
    ["a function inside", () => ({ a: 1, run: () => 1 }), { a: 1 }],
    ["NaN", () => Number.NaN, null],
    ["something with toJSON", () => ({ toJSON: () => ({ b: 2 }) }), { b: 2 }],
    [
      "a thenable that is no Promise",
      () => ({ then: (resolve: (value: unknown) => void) => resolve({ c: 3 }) }),
      { c: 3 },
    ],
  ])("%s reaches the ingest as JSON", async (_, onUploadComplete, callbackData) => {
    expect((await complete(onUploadComplete)).status).toBe(200)
    expect(postedResults()).toEqual([{ fileKey: storedFile.key, eventId: "evt_1", callbackData }])
  })

  test.each([
    ["a BigInt", () => ({ id: 1n })],
    [
      "a cycle",
      () => {
        const a: { self?: unknown } = {}
        a.self = a
        return a
      },
    ],
    [
      "a toJSON that throws",
      () => ({
        toJSON: () => {
          throw new Error("hunter2")
        },
      }),
    ],
  ])("%s cannot be JSON: an error is posted and answered", async (_, onUploadComplete) => {
    await refused(await complete(onUploadComplete), "ROUTE_FAILED", 500)
    expect(postedResults()).toEqual([
      {
        fileKey: storedFile.key,
        eventId: "evt_1",
        attempt: 1,
        error: expect.stringMatching(/^The app's onUploadComplete failed\. Its log has it under [\w-]{36}\.$/),
      },
    ])
  })
})

test("1 MiB of what onUploadComplete returns travels; more is told to the ingest as an error, not sent in vain", async () => {
  const most = 1024 * 1024 - '""'.length
  expect((await complete(() => "x".repeat(most))).status).toBe(200)
  const problem = await refused(await complete(() => "x".repeat(most + 1)), "INVALID_CONFIG", 413)
  expect(problem.detail).toMatch(
    /onUploadComplete returned has 1MB \(1048577 bytes\) as JSON; at most 1MB are allowed\. Return an id or a URL/,
  )
  expect(postedResults()[1]).toEqual({ fileKey: storedFile.key, eventId: "evt_1", attempt: 1, error: problem.detail })
})

describe("an onUploadComplete that throws", () => {
  test.each([
    [
      "an Error",
      () => {
        throw new Error("password=hunter2")
      },
    ],
    [
      "in a promise",
      async () => {
        throw new Error("password=hunter2")
      },
    ],
    [
      "a string",
      () => {
        throw "password=hunter2"
      },
    ],
  ])(
    "%s: an error without its text is posted, the answer is an opaque 500, the log has the text",
    async (_, onUploadComplete) => {
      const problem = await refused(await complete(onUploadComplete), "ROUTE_FAILED", 500)
      expect(JSON.stringify(problem)).not.toContain("hunter2")
      expect(postedResults()).toEqual([
        {
          fileKey: storedFile.key,
          eventId: "evt_1",
          attempt: 1,
          error: expect.stringMatching(/^The app's onUploadComplete failed\. Its log has it under [\w-]{36}\.$/),
        },
      ])
      expect(linesWith("error", "hunter2")).toHaveLength(1)
    },
  )

  test("an UploadError: its message is posted and answered", async () => {
    const error = new UploadError({
      code: "QUOTA_EXCEEDED",
      message: "Your plan is full.",
      cause: new Error("hunter2"),
    })
    const problem = await refused(
      await complete(() => {
        throw error
      }),
      "QUOTA_EXCEEDED",
      507,
    )
    expect(problem.detail).toBe("Your plan is full.")
    expect(postedResults()).toEqual([
      { fileKey: storedFile.key, eventId: "evt_1", attempt: 1, error: "Your plan is full." },
    ])
  })

  test("is answered with its own error even when that cannot be posted", async () => {
    ingest.answerResult(networkError)
    await refused(
      await complete(() => {
        throw new UploadError("No")
      }),
      "FORBIDDEN",
      403,
    )
    expect(ingest.results).toHaveLength(1)
  })
})

describe("a result that does not reach the ingest", () => {
  test.each([
    ["the network fails", networkError],
    ["the ingest answers 500", () => json({}, 500)],
    ["the ingest answers 400", () => json({}, 400)],
    ["the ingest answers 401", () => json({}, 401)],
    ["the ingest redirects", () => new Response(null, { status: 307, headers: { location: "http://attacker.test/" } })],
  ])("because %s makes the answer an error, so that the event comes again", async (_, answer) => {
    const attacker = ingest.watch("http://attacker.test/")
    ingest.answerResult(answer)
    const problem = await refused(await complete(() => ({ secret: "hunter2" })), "INGEST_UNAVAILABLE", 503)
    expect(problem.detail).not.toMatch(/ingest\.test|hunter2/)
    expect(ingest.results).toHaveLength(1)
    expect(attacker).toEqual([])
  })

  test("because the ingest does not answer in time makes the answer an error", async () => {
    timers.expire(10_000)
    ingest.answerResult(() => new Promise<Response>(() => {}))
    await refused(await complete(() => 1), "INGEST_UNAVAILABLE", 503)
  })
})

test("a callback without a token configured says so and runs nothing", async () => {
  const onUploadComplete = vi.fn()
  const handle = handlerOf({ a: f({ image: {} }).onUploadComplete(onUploadComplete) }, { token: "" })
  await refused(await handle(hookRequest(callbackEvent())), "INVALID_TOKEN", 500)
  expect(onUploadComplete).not.toHaveBeenCalled()
})

test("the key of another app verifies nothing here", async () => {
  const onUploadComplete = vi.fn()
  const token = createToken({ apiKey: "sk_another" })
  const handle = handlerOf({ a: f({ image: {} }).onUploadComplete(onUploadComplete) }, { token })
  await refused(await handle(hookRequest(callbackEvent())), "INVALID_SIGNATURE", 403)
  expect(onUploadComplete).not.toHaveBeenCalled()
})
