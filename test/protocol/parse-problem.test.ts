import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { parseProblem } from "../../src/protocol/parse-problem.ts"
import { problems, type ProblemCode, toProblemDocument } from "../../src/protocol/problem.ts"
import { UploadError } from "../../src/protocol/upload-error.ts"

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
    [413, "FILE_TOO_LARGE"],
    [418, "BAD_REQUEST"],
    [423, "LOCKED"],
    [429, "RATE_LIMITED"],
    [500, "INTERNAL_ERROR"],
    [502, "INTERNAL_ERROR"],
    [503, "INTERNAL_ERROR"],
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
      expect(parseProblem(status, body)).toMatchObject({
        code,
        status,
        message: `The server answered ${status} without an explanation.`,
      })
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
