import { describe, expect, test } from "vitest"
import { createSluice, UploadError } from "../../src/server.ts"
import { apiKey } from "./app-token.ts"
import { handlerOf, png, presigned, refused, uploadRequest } from "./call-app.ts"
import { useConsoleLines } from "./console-lines.ts"
import { useMockIngest } from "./mock-ingest.ts"

const ingest = useMockIngest()
const { linesWith } = useConsoleLines()

const f = createSluice()
const middlewareRoute = (middleware: (args: { req: Request; request: Request }) => unknown) => ({
  a: f({ image: {} })
    .middleware(middleware)
    .onUploadComplete(() => 1),
})
const upload = (middleware: Parameters<typeof middlewareRoute>[0]) =>
  handlerOf(middlewareRoute(middleware))(uploadRequest("a", { files: [png] }))
const registeredMetadata = () => JSON.parse(ingest.registrations[0]!.text).metadata

describe("a middleware", () => {
  test("sees the request under both names, its headers, its input and the files", async () => {
    const seen: Array<object> = []
    const router = {
      a: f({ image: {} })
        .middleware((args) => {
          seen.push(args)
          return { session: args.req.headers.get("cookie") }
        })
        .onUploadComplete(() => 1),
    }
    const request = uploadRequest(
      "a",
      { files: [png], input: "nobody asked for this" },
      { headers: { cookie: "session=5" } },
    )
    await presigned(await handlerOf(router)(request))
    expect(Object.keys(seen[0]!).toSorted()).toEqual(["files", "input", "req", "request"])
    expect(seen[0]).toMatchObject({ files: [png], input: undefined })
    expect((seen[0] as { req: unknown }).req).toBe(request)
    expect((seen[0] as { request: unknown }).request).toBe(request)
    expect(registeredMetadata()).toEqual({ session: "session=5" })
  })

  test.each([
    ["a value", () => ({ a: 1 }), { a: 1 }],
    ["a promise", async () => ({ a: 1 }), { a: 1 }],
    // Query builders return such: awaiting runs the query.
    [
      "a thenable that is no Promise",
      () => ({ then: (resolve: (value: unknown) => void) => resolve({ a: 1 }) }),
      { a: 1 },
    ],
    ["nothing", () => {}, null],
    ["a promise of nothing", async () => {}, null],
    ["null", () => null, null],
    ["a string", () => "x", "x"],
    [
      "dates and holes",
      () => ({ at: new Date(0), none: undefined, list: [undefined] }),
      { at: "1970-01-01T00:00:00.000Z", list: [null] },
    ],
  ])("may return %s", async (_, middleware, metadata) => {
    await presigned(await upload(middleware))
    expect(registeredMetadata()).toEqual(metadata)
  })

  test("is not needed: the metadata is an empty object then", async () => {
    await presigned(
      await handlerOf({ a: f({ image: {} }).onUploadComplete(() => 1) })(uploadRequest("a", { files: [png] })),
    )
    expect(registeredMetadata()).toEqual({})
  })

  test.each([
    [
      "at once",
      () => {
        throw new UploadError({
          code: "QUOTA_EXCEEDED",
          message: "Your plan is full.",
          status: 402,
          data: { plan: "free" },
        })
      },
    ],
    [
      "in a promise",
      async () => {
        throw new UploadError({
          code: "QUOTA_EXCEEDED",
          message: "Your plan is full.",
          status: 402,
          data: { plan: "free" },
        })
      },
    ],
  ])(
    "an UploadError thrown %s keeps its code, status, message and data; nothing is registered",
    async (_, middleware) => {
      const problem = await refused(await upload(middleware), "QUOTA_EXCEEDED", 402)
      expect(problem).toMatchObject({ detail: "Your plan is full.", data: { plan: "free" } })
      expect(ingest.registrations).toEqual([])
    },
  )

  test("an UploadError of nothing but a message is FORBIDDEN", async () => {
    const problem = await refused(
      await upload(() => {
        throw new UploadError("Sign in first")
      }),
      "FORBIDDEN",
      403,
    )
    expect(problem.detail).toBe("Sign in first")
    expect(problem).not.toHaveProperty("data")
  })

  test("an UploadError of another copy of the package counts as well", async () => {
    const foreign = Object.assign(new Error("Wait"), {
      [Symbol.for("sluice/UploadError")]: true,
      code: "LOCKED",
      status: 423,
    })
    await refused(
      await upload(() => {
        throw foreign
      }),
      "LOCKED",
      423,
    )
  })

  test.each([
    [200, 403],
    [302, 403],
    [99, 403],
    [600, 403],
    [Number.NaN, 403],
    [418, 418],
  ])("a status of %d is answered as %d", async (given, answered) => {
    const error = new UploadError({ code: "FORBIDDEN", message: "No, no", status: given })
    await refused(
      await upload(() => {
        throw error
      }),
      "FORBIDDEN",
      answered,
    )
  })

  test("a code that never travels is a 500", async () => {
    await refused(
      await upload(() => {
        throw new UploadError({ code: "ABORTED", message: "Stop it" })
      }),
      "ABORTED",
      500,
    )
  })

  test.each([
    [
      "an Error",
      () => {
        throw new Error("password=hunter2")
      },
    ],
    [
      "a rejected promise",
      async () => {
        throw new TypeError("password=hunter2")
      },
    ],
    [
      "a string",
      () => {
        throw "password=hunter2"
      },
    ],
    [
      "undefined",
      () => {
        throw undefined
      },
    ],
    [
      "a plain object that looks like an UploadError",
      () => {
        throw { code: "FORBIDDEN", status: 403, message: "password=hunter2" }
      },
    ],
    [
      "a rejected thenable",
      () => ({ then: (_: unknown, reject: (cause: unknown) => void) => reject(new Error("password=hunter2")) }),
    ],
    [
      "a thenable that throws",
      () => ({
        then: () => {
          throw new Error("password=hunter2")
        },
      }),
    ],
  ])(
    "throwing %s is an opaque 500, registers nothing, and its text is in the log under the id told",
    async (name, middleware) => {
      const response = await upload(middleware)
      const problem = await refused(response, "ROUTE_FAILED", 500)
      expect(JSON.stringify(problem)).not.toContain("hunter2")
      const id = /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(problem.detail)?.[0]
      expect(id).toBeDefined()
      expect(linesWith("error", id!, ...(name === "undefined" ? [] : ["hunter2"]))).toHaveLength(1)
      expect(ingest.registrations).toEqual([])
    },
  )

  test.each([
    [
      "a cycle",
      () => {
        const a: { self?: unknown } = {}
        a.self = a
        return a
      },
    ],
    ["a BigInt", () => ({ id: 1n })],
  ])("%s as metadata is an opaque 500 with nothing registered", async (_, middleware) => {
    await refused(await upload(middleware), "ROUTE_FAILED", 500)
    expect(ingest.registrations).toEqual([])
  })

  test("64 KiB of metadata travel, in bytes and not in characters; one more is refused before registration", async () => {
    const most = 64 * 1024 - '{"text":""}'.length
    await presigned(await upload(() => ({ text: "x".repeat(most) })))
    expect(ingest.registrations).toHaveLength(1)
    for (const text of ["x".repeat(most + 1), "é".repeat(most / 2 + 1)]) {
      const problem = await refused(await upload(() => ({ text })), "INVALID_CONFIG", 413)
      expect(problem.detail).toMatch(/at most 64KB/)
    }
    expect(ingest.registrations).toHaveLength(1)
  })

  test("a secret in what it throws is redacted in the log", async () => {
    await refused(
      await upload(() => {
        throw new Error(`cannot use ${apiKey}`)
      }),
      "ROUTE_FAILED",
      500,
    )
    expect(linesWith("error", "sk_<redacted>")).toHaveLength(1)
  })
})

test("what .file() throws is a refusal or an opaque 500 like the middleware's", async () => {
  for (const [thrown, code, status] of [
    [new UploadError({ code: "NOT_FOUND", message: "No such folder" }), "NOT_FOUND", 404],
    [new Error("hunter2"), "ROUTE_FAILED", 500],
  ] as const) {
    const router = {
      a: f({ image: {} })
        .file(() => {
          throw thrown
        })
        .onUploadComplete(() => 1),
    }
    const problem = await refused(await handlerOf(router)(uploadRequest("a", { files: [png] })), code, status)
    expect(problem.detail).not.toContain("hunter2")
  }
  expect(ingest.registrations).toEqual([])
})

test("what fileKeySeed throws is a refusal or an opaque 500 like the middleware's", async () => {
  for (const [thrown, code, status] of [
    [new UploadError({ code: "BAD_REQUEST", message: "The name has no id in it" }), "BAD_REQUEST", 400],
    [new Error("hunter2"), "ROUTE_FAILED", 500],
  ] as const) {
    const fileKeySeed = () => {
      throw thrown
    }
    const router = { a: f({ image: {} }, { fileKeySeed }).onUploadComplete(() => 1) }
    const problem = await refused(await handlerOf(router)(uploadRequest("a", { files: [png] })), code, status)
    expect(problem.detail).not.toContain("hunter2")
  }
  expect(ingest.registrations).toEqual([])
})
