import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseProblem } from "../../../src/protocol/errors/parse-problem.ts"
import { problems, type ProblemCode, toProblemDocument } from "../../../src/protocol/errors/problem.ts"
import { UploadError } from "../../../src/protocol/errors/upload-error.ts"

describe("parseProblem", () => {
  it("gives back the problem that was sent", () => {
    for (const code of Object.keys(problems) as Array<ProblemCode>) {
      const document = toProblemDocument(code, `about ${code}`, { data: { a: [1] } })
      expect(parseProblem(document.status, JSON.stringify(document))).toMatchObject({
        code,
        status: document.status,
        detail: `about ${code}`,
        data: { a: [1] },
      })
    }
  })

  it("says at least the code when the detail is missing or no text", () => {
    for (const detail of [undefined, { x: 1 }]) {
      expect(parseProblem(413, JSON.stringify({ code: "FILE_TOO_LARGE", detail })).detail).toBe("FILE_TOO_LARGE")
    }
  })

  it.each([
    [400, "BAD_REQUEST"],
    [401, "UNAUTHORIZED"],
    [402, "BAD_REQUEST"],
    [403, "FORBIDDEN"],
    [404, "NOT_FOUND"],
    [405, "METHOD_NOT_ALLOWED"],
    [408, "NETWORK_ERROR"],
    [418, "BAD_REQUEST"],
    [423, "LOCKED"],
    [429, "RATE_LIMITED"],
    [500, "INTERNAL_ERROR"],
    [501, "INTERNAL_ERROR"],
    [507, "QUOTA_EXCEEDED"],
    [599, "INTERNAL_ERROR"],
  ])("makes of %d without a problem document %s, and keeps the status", (status, code) => {
    const bodies = [
      "",
      "<html>Bad gateway</html>",
      "null",
      "1",
      '"FORBIDDEN"',
      "[]",
      "{}",
      '{"code":"NO_SUCH_CODE"}',
      '{"code":"toString"}',
      '{"code":["FORBIDDEN"]}',
      '{"__proto__":{"code":"PAUSED"}}',
    ]
    for (const body of bodies) {
      const { message, ...error } = parseProblem(status, body)
      expect(error).toMatchObject({ code, status })
      expect(message).toMatch(
        new RegExp(`^The server, or a proxy in front of it, answered ${status}( without an explanation)?\\.$`),
      )
    }
  })

  const page = "<html><head><title>413 Request Entity Too Large</title></head><center>nginx</center></html>"

  it.each(["app", "ingest", "server"] as const)("names a proxy in front of the %s", (at) => {
    expect(parseProblem(413, page, at)).toMatchObject({
      code: "INVALID_CONFIG",
      status: 413,
      message: `The ${at}, or a proxy in front of it, answered 413 without an explanation.`,
    })
    for (const status of [502, 503, 504, 520, 524, 530]) {
      expect(parseProblem(status, page, at)).toMatchObject({
        code: at === "ingest" ? "INGEST_UNAVAILABLE" : "INTERNAL_ERROR",
        status,
        message: `The ${at}, or a proxy in front of it, answered ${status} without an explanation.`,
      })
      // An answer to HEAD has no body that would tell whose it is.
      expect(parseProblem(status, "", at).message).toBe(
        `The ${at}, or a proxy in front of it, answered ${status} without an explanation.`,
      )
    }
  })

  it("takes an app that knows nothing of the address for one without a route handler", () => {
    for (const status of [404, 405]) {
      expect(parseProblem(status, "Cannot POST /api/sluice", "app")).toMatchObject({ code: "INVALID_CONFIG", status })
    }
  })

  it("keeps what JSON of somebody else said as the cause, and says that there was an explanation", () => {
    const said = { message: "Your session has ended." }
    expect(parseProblem(401, JSON.stringify(said), "app")).toMatchObject({
      code: "UNAUTHORIZED",
      message: "The app, or a proxy in front of it, answered 401.",
      cause: { at: "app", said },
    })
  })

  it("keeps nothing of a page that is no problem document", () => {
    for (let status = 300; status < 600; status++) {
      const error = parseProblem(status, page, "ingest")
      expect(JSON.stringify([error, error.message, error.data, error.cause])).not.toContain("<")
    }
  })

  it("never throws, whatever the body", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 100, max: 599 }),
        fc.oneof(fc.string({ unit: "binary" }), fc.json()),
        (status, body) => {
          const error = parseProblem(status, body)
          expect(UploadError.is(error)).toBe(true)
          expect(Object.hasOwn(problems, error.code)).toBe(true)
        },
      ),
    )
  })
})

it("a detail is read up to 4,096 characters: a page that shows more freezes", () => {
  const { message } = parseProblem(403, JSON.stringify({ code: "FORBIDDEN", detail: "x".repeat(5000) }))
  expect(message).toBe("x".repeat(4096))
})
