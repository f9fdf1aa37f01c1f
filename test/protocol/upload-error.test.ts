import fc from "fast-check"
import { describe, expect, it, vi } from "vitest"
import { problems, type ProblemCode, toProblemDocument } from "../../src/protocol/problem.ts"
import { UploadError } from "../../src/protocol/upload-error.ts"

describe("UploadError", () => {
  it("of a message alone refuses: FORBIDDEN, 403", () => {
    const error = new UploadError("Sign in first")
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: "UploadError", code: "FORBIDDEN", status: 403, message: "Sign in first" })
    expect(error.detail).toBe("Sign in first")
    expect(error.data).toBeUndefined()
    expect("cause" in error).toBe(false)
  })

  it("keeps its code, status, data and cause", () => {
    const cause = new Error("disk full")
    const error = new UploadError({
      code: "QUOTA_EXCEEDED",
      message: "Upgrade.",
      status: 402,
      data: { plan: "pro" },
      cause,
    })
    expect(error).toMatchObject({ code: "QUOTA_EXCEEDED", status: 402, data: { plan: "pro" }, cause })
  })

  it("takes its status from the table for every code", () => {
    for (const code of Object.keys(problems) as Array<ProblemCode>) {
      expect(new UploadError({ code, message: "" }).status).toBe(problems[code].status)
    }
  })

  it("does not print its cause's text into JSON", () => {
    const error = new UploadError({ code: "FORBIDDEN", message: "no", cause: new Error("hunter2") })
    expect(JSON.stringify(error)).not.toContain("hunter2")
  })

  it("is known across two copies of the module", async () => {
    vi.resetModules()
    const copy = await import("../../src/protocol/upload-error.ts")
    expect(copy.UploadError).not.toBe(UploadError)
    const theirs = new copy.UploadError("no")
    expect(theirs instanceof UploadError).toBe(false)
    expect(UploadError.is(theirs)).toBe(true)
    expect(copy.UploadError.is(new UploadError("no"))).toBe(true)
    class Mine extends UploadError {}
    expect(copy.UploadError.is(new Mine("no"))).toBe(true)
  })

  it("is not taken for anything that only looks like one", () => {
    const strangers = [
      new Error("x"),
      Object.assign(new Error("x"), { name: "UploadError", code: "FORBIDDEN", status: 403 }),
      { code: "FORBIDDEN", status: 403, message: "x" },
      "UploadError",
      null,
      undefined,
    ]
    for (const stranger of strangers) expect(UploadError.is(stranger)).toBe(false)
  })
})

describe("UploadError.fromResponse", () => {
  it("gives back the problem that was sent", () => {
    for (const code of Object.keys(problems) as Array<ProblemCode>) {
      const document = toProblemDocument(code, `about ${code}`, { data: { a: [1] } })
      expect(UploadError.fromResponse(document.status, JSON.stringify(document))).toMatchObject({
        code,
        status: document.status,
        detail: `about ${code}`,
        data: { a: [1] },
      })
    }
  })

  it("says what the code means when the detail is missing or no text", () => {
    expect(UploadError.fromResponse(413, '{"code":"FILE_TOO_LARGE"}').detail).toBe("The file is too large")
    expect(UploadError.fromResponse(413, '{"code":"FILE_TOO_LARGE","detail":{"x":1}}').detail).toBe(
      "The file is too large",
    )
  })

  it.each([
    [400, "BAD_REQUEST"],
    [401, "UNAUTHORIZED"],
    [402, "BAD_REQUEST"],
    [403, "FORBIDDEN"],
    [404, "NOT_FOUND"],
    [413, "FILE_TOO_LARGE"],
    [418, "BAD_REQUEST"],
    [429, "RATE_LIMITED"],
    [500, "INTERNAL_ERROR"],
    [502, "INTERNAL_ERROR"],
    [503, "INTERNAL_ERROR"],
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
      expect(UploadError.fromResponse(status, body)).toMatchObject({
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
          const error = UploadError.fromResponse(status, body)
          expect(UploadError.is(error)).toBe(true)
          expect(Object.hasOwn(problems, error.code)).toBe(true)
        },
      ),
    )
  })
})
