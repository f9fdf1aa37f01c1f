import { describe, expect, test, vi } from "vitest"
import { UploadError } from "../../../adapters/node.ts"
import { onEnd, serve } from "./servers.ts"

describe("a handler that throws", () => {
  test("an UploadError answers with its code, status and message", async () => {
    const port = await serve(() => {
      throw new UploadError({ code: "QUOTA_EXCEEDED", status: 402, message: "Pay first." })
    })
    const response = await fetch(`http://127.0.0.1:${port}`)
    expect([response.status, await response.json()]).toMatchObject([
      402,
      { code: "QUOTA_EXCEEDED", detail: "Pay first." },
    ])
  })

  test("anything else answers 500 without its text, which is printed", async () => {
    const print = vi.spyOn(console, "error").mockImplementation(() => {})
    onEnd(() => print.mockRestore())
    const port = await serve(async () => {
      throw new Error("secret text")
    })
    const response = await fetch(`http://127.0.0.1:${port}`)
    expect(response.status).toBe(500)
    expect(response.headers.get("content-type")).toBe("application/problem+json")
    expect(await response.text()).not.toContain("secret")
    expect(String(print.mock.calls[0]?.[0])).toContain("secret text")
  })
})
