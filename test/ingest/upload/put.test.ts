import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { names } from "../../../src/protocol.ts"
import {
  answerWith,
  createGrant,
  offsetOf,
  put,
  putRaw,
  register,
  sign,
  startApp,
  startIngest,
  toForm,
} from "../circle.ts"

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex")

describe("PUT of a signed URL", () => {
  it("stores raw bytes and answers with the file", async () => {
    const { url } = await startIngest()
    const grant = createGrant({ customId: "c-1" })
    const response = await putRaw(await sign(url, grant), "hello")
    expect(response.status).toBe(200)
    const result = await response.json()
    expect(result).toEqual({
      key: grant.key,
      name: "hello.txt",
      size: 5,
      type: "text/plain",
      customId: "c-1",
      url: `${url}/f/${grant.key}`,
      fileHash: sha256("hello"),
      uploadedAt: expect.any(Number),
      serverData: null,
    })
    expect(await (await fetch(result.url)).text()).toBe("hello")
  })

  it("stores the part named file of a form, whatever its file name", async () => {
    const { url } = await startIngest()
    const grant = createGrant()
    const response = await put(await sign(url, grant), toForm("hello", "../../etc/passwd"))
    expect(await response.json()).toMatchObject({ name: "hello.txt", fileHash: sha256("hello") })
  })

  it("calls the app back and answers with what it returned", async () => {
    const { url } = await startIngest()
    const app = await startApp(answerWith({ id: 42 }))
    const grant = createGrant({ slug: "avatar" })
    expect(await (await register(url, { fileKeys: [grant.key], callbackUrl: app.url })).json()).toEqual({ ok: true })
    const response = await put(await sign(url, grant), toForm("hello"))
    expect(response.status).toBe(200)
    expect(await response.json()).toMatchObject({ key: grant.key, serverData: { id: 42 } })
    expect(app.received).toHaveLength(1)
    expect(response.headers.get("access-control-allow-origin")).toBe("*")
    expect(response.headers.get("access-control-expose-headers")).toContain(names.header.rangeStart)
    expect(await offsetOf(await sign(url, grant))).toBe(5)
  })
})
