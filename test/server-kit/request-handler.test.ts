import * as Effect from "effect/Effect"
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest"
import { type Answer, toResponse } from "../../src/http/answer.ts"
import { createRequestHandler } from "../../src/server-kit/request-handler.ts"
import { createLogContext } from "../../src/server-kit/logging.ts"
import { Rejected, toRejected } from "../../src/server-kit/rejected.ts"
import { refuse } from "../../src/protocol/errors/outcome.ts"
import type { ProblemCode } from "../../src/protocol/errors/problem.ts"

let logged: Array<string> = []
beforeEach(() => {
  logged = []
  for (const sink of ["error", "warn", "log", "debug"] as const) {
    vi.spyOn(console, sink).mockImplementation((line: string) => void logged.push(line))
  }
})
afterEach(() => vi.restoreAllMocks())

const context = createLogContext("All", "json")
const answerOf = async (handle: (request: Request) => Effect.Effect<Answer, Rejected>) =>
  toResponse(await createRequestHandler(handle, context)(new Request("http://x/")))

describe("a success", () => {
  it("is answered as it is, with all arguments passed on", async () => {
    const handle = createRequestHandler(
      (request: Request, number: number) =>
        Effect.succeed({ status: 201, headers: { etag: '"a"' }, body: `${request.url} ${number}` }),
      context,
    )
    const answer = await handle(new Request("http://x/"), 7)
    expect(answer).toEqual({ status: 201, headers: { etag: '"a"' }, body: "http://x/ 7" })
    expect(logged).toEqual([])
  })
})

describe("a rejection", () => {
  it("becomes a problem document that nobody stores", async () => {
    const response = await answerOf(() => Effect.fail(toRejected(refuse("EXPIRED_URL", "Ask for a new one."))))
    expect(response.status).toBe(403)
    expect(response.headers.get("content-type")).toBe("application/problem+json")
    expect(response.headers.get("cache-control")).toBe("no-store")
    expect(await response.json()).toEqual({
      type: "urn:sluice:error:expired-url",
      title: "The signed URL has expired",
      status: 403,
      detail: "Ask for a new one.",
      code: "EXPIRED_URL",
    })
    expect(logged).toEqual([])
  })

  it("carries its headers, its own status and its data", async () => {
    const response = await answerOf(() =>
      Effect.fail(
        new Rejected({
          code: "METHOD_NOT_ALLOWED",
          detail: "",
          status: 418,
          headers: { allow: "GET, POST", "content-type": "text/html" },
          data: { a: [null] },
        }),
      ),
    )
    expect(response.status).toBe(418)
    expect(response.headers.get("allow")).toBe("GET, POST")
    expect(response.headers.get("content-type")).toBe("application/problem+json")
    expect(await response.json()).toMatchObject({ status: 418, data: { a: [null] } })
  })

  it("is logged where somebody here has to act, with the code and the page that explains it", async () => {
    await answerOf(() => Effect.fail(new Rejected({ code: "MISSING_TOKEN", detail: "No token." })))
    expect(logged.map((line) => JSON.parse(line))).toMatchObject([
      {
        message: "No token.",
        code: "MISSING_TOKEN",
        help: "node_modules/sluice/docs/troubleshooting.md#missing_token",
      },
    ])
  })

  it("keeps its cause to itself", async () => {
    const response = await answerOf(() =>
      Effect.fail(new Rejected({ code: "BAD_REQUEST", detail: "no", cause: new Error("hunter2") })),
    )
    expect(await response.text()).not.toContain("hunter2")
  })
})

describe("what nobody foresaw", () => {
  const circle: Record<string, unknown> = {}
  circle["self"] = circle
  const circularError = new Error("hunter2")
  circularError.cause = circularError

  const surprises: ReadonlyArray<readonly [string, () => Effect.Effect<Answer, Rejected>]> = [
    ["a defect", () => Effect.die(new Error("hunter2"))],
    ["a thrown string", () => Effect.die("hunter2")],
    ["a thrown circle", () => Effect.die(circle)],
    ["an error that causes itself", () => Effect.die(circularError)],
    ["a thrown undefined", () => Effect.die(undefined)],
    ["a rejected promise", () => Effect.promise(() => Promise.reject(new Error("hunter2")))],
    [
      "a throw inside an effect",
      () =>
        Effect.sync(() => {
          throw new TypeError("hunter2")
        }),
    ],
    [
      "a throw before there is an effect",
      () => {
        throw new Error("hunter2")
      },
    ],
    ["an interruption", () => Effect.interrupt],
    ["data that is no JSON", () => Effect.fail(new Rejected({ code: "FORBIDDEN", detail: "", data: circle as never }))],
    ["data with a bigint", () => Effect.fail(new Rejected({ code: "FORBIDDEN", detail: "", data: 1n as never }))],
    ["a header that cannot be sent", () => Effect.succeed({ status: 200, headers: { "x-a": "hunter2\n" }, body: "" })],
    [
      "a header that is none",
      () => Effect.fail(new Rejected({ code: "FORBIDDEN", detail: "", headers: { "x-a": "hunter2\r\nx-b: c" } })),
    ],
    ["a code that is none", () => Effect.fail(new Rejected({ code: "hunter2" as ProblemCode, detail: "" }))],
  ]

  it.each(surprises)("%s is an opaque 500 whose id is in the log", async (_, handle) => {
    const response = await answerOf(handle)
    expect(response.status).toBe(500)
    expect(response.headers.get("content-type")).toBe("application/problem+json")
    const text = await response.text()
    expect(text).not.toContain("hunter2")
    const problem = JSON.parse(text) as { code: string; detail: string }
    expect(problem.code).toBe("INTERNAL_ERROR")
    const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(problem.detail)?.[0]
    expect(id).toBeDefined()
    expect(logged).toHaveLength(1)
    expect(JSON.parse(logged[0]!)).toMatchObject({ level: "error", id })
  })

  it("is logged with its stack", async () => {
    await answerOf(() => Effect.die(new Error("disk full", { cause: new Error("ENOSPC") })))
    expect(logged[0]).toContain("disk full")
    expect(logged[0]).toContain("ENOSPC")
    expect(logged[0]).toContain("request-handler.test.ts")
  })

  it("a rejection with a status that cannot be sent is sent with that of its code", async () => {
    for (const status of [0, 200, 204, 304, 1000, Number.NaN]) {
      const response = await answerOf(() => Effect.fail(new Rejected({ code: "FORBIDDEN", detail: "no", status })))
      expect(response.status).toBe(403)
      expect(await response.json()).toMatchObject({ status: 403, code: "FORBIDDEN" })
    }
    const response = await answerOf(() => Effect.fail(new Rejected({ code: "ABORTED", detail: "stopped" })))
    expect([response.status, await response.json()]).toEqual([500, expect.objectContaining({ code: "ABORTED" })])
  })
})
