import { describe, expect, it, vi } from "vitest"
import { problems, type ProblemCode } from "../../../src/protocol/errors/problem.ts"
import { UploadError } from "../../../src/protocol/errors/upload-error.ts"

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
    const copy = await import("../../../src/protocol/errors/upload-error.ts")
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
