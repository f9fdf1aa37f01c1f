import { createHash } from "node:crypto"
import { describe, expect, it } from "vitest"
import { answerWith, createGrant, offsetOf, putRaw, register, sign, startApp, startIngest, toForm } from "../circle.ts"

const sha256 = (bytes: string | Uint8Array) => createHash("sha256").update(bytes).digest("hex")

/** Bytes as a page sends them without asking first: without a type or any other header of its own. */
const post = (url: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> =>
  fetch(url, { method: "POST", body, headers })

const codeOf = async (answer: Response): Promise<string> =>
  `${answer.status} ${((await answer.json()) as { code: string }).code}`

describe("POST of a signed URL", () => {
  it("stores the bytes, calls the app back and answers as PUT does, readable for every page", async () => {
    const { url } = await startIngest()
    const app = await startApp(answerWith({ id: 42 }))
    const grant = createGrant({ slug: "avatar" })
    await register(url, { fileKeys: [grant.key], callbackUrl: app.url })
    const signed = await sign(url, grant)
    const answer = await post(signed, new Blob(["hello"]))
    expect(answer.status).toBe(200)
    expect(answer.headers.get("access-control-allow-origin")).toBe("*")
    const result = await answer.json()
    expect(result).toMatchObject({ key: grant.key, fileHash: sha256("hello"), serverData: { id: 42 } })
    expect(app.received).toHaveLength(1)
    expect(await (await putRaw(signed, "", 5)).json()).toEqual(result)
    expect(await (await post(signed, new Blob(["hello"]))).json()).toEqual(result)
    expect(await (await fetch(result.url)).text()).toBe("hello")
  })

  it.each([
    ["without a type", undefined],
    ["as text/plain", "text/plain"],
    ["as a form's fields, which it is not", "application/x-www-form-urlencoded"],
  ])("keeps the signed type of a file that is sent %s", async (_how, type) => {
    const { url } = await startIngest()
    const bytes = new Uint8Array([0xff, 0xd8, 0xff, 0xe0, 0, 16])
    const signed = await sign(url, createGrant({ name: "a.jpg", type: "image/jpeg", size: 6 }))
    const answer = await post(signed, new Blob([bytes]), type === undefined ? {} : { "content-type": type })
    const result = await answer.json()
    expect(result).toMatchObject({ type: "image/jpeg", fileHash: sha256(bytes) })
    const stored = await fetch(result.url)
    expect(stored.headers.get("content-type")).toBe("image/jpeg")
    expect(new Uint8Array(await stored.arrayBuffer())).toEqual(bytes)
  })

  it("goes on by Range, and says the offset where that is wrong or bytes are missing", async () => {
    const { url } = await startIngest()
    const signed = await sign(url, createGrant())
    for (const [body, headers] of [
      ["hel", {}],
      ["lo", {}],
      ["lo", { range: "bytes=2-" }],
    ] as const) {
      const refused = await post(signed, new Blob([body]), headers)
      expect(refused.headers.get("x-sluice-range-start")).toBe("3")
      expect(await codeOf(refused)).toBe("409 RANGE_MISMATCH")
    }
    const rest = await post(signed, new Blob(["lo"]), { range: "bytes=3-" })
    expect(await rest.json()).toMatchObject({ fileHash: sha256("hello") })
  })

  it("refuses what PUT refuses: more bytes than were signed, and another content", async () => {
    const { url } = await startIngest()
    const more = await post(await sign(url, createGrant()), new Blob(["hello there"]))
    expect(await codeOf(more)).toBe("413 SIZE_MISMATCH")
    const lie = createGrant({ name: "a.png", type: "image/png", size: 64 })
    const program = new Blob([Uint8Array.from({ length: 64 }, (_, at) => "MZ".charCodeAt(at) || 0)])
    expect(await codeOf(await post(await sign(url, lie), program))).toBe("415 CONTENT_MISMATCH")
    const forged = (await sign(url, createGrant())).replace("hello.txt", "b.txt")
    expect(await codeOf(await post(forged, new Blob(["hello"])))).toBe("403 INVALID_SIGNATURE")
    const unsigned = await post(`${url}/${createGrant().key}`, new Blob(["hello"]))
    expect(unsigned.status).toBeGreaterThanOrEqual(400)
  })

  it("is not for forms, which go as PUT", async () => {
    const { url } = await startIngest()
    const signed = await sign(url, createGrant())
    const refused = await post(signed, toForm("hello"))
    expect(refused.headers.get("allow")).toBe("HEAD, PUT, DELETE, OPTIONS")
    expect(await codeOf(refused)).toBe("405 METHOD_NOT_ALLOWED")
    expect(await offsetOf(signed)).toBe(0)
    expect((await fetch(signed, { method: "PUT", body: toForm("hello") })).status).toBe(200)
  })
})
