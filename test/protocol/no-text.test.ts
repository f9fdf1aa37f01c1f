import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as protocol from "../../src/protocol.ts"
import * as onNode from "../../src/protocol/signing/signature.ts"
import { loadWithoutNodeCrypto } from "./without-node-crypto.ts"

const platforms = [
  ["node:crypto", onNode],
  ["Web Crypto", await loadWithoutNodeCrypto()],
] as const

/** What JavaScript's users pass where a header, a query parameter or a body is missing or is not what they think. */
const noText = fc.oneof(
  fc.constantFrom(null, undefined, true, false, Number.NaN, 0, 10n, Symbol("x"), () => "x", new Date(0)),
  fc.constantFrom(["hmac-sha256="], { length: 76, startsWith: () => true, slice: () => "0".repeat(64) }),
  fc.constantFrom(Object.create(null), { toString: null }, new URL("http://a.example/?signature=x"), new Headers()),
  fc.anything().filter((value) => typeof value !== "string"),
) as fc.Arbitrary<never>
const noBytes = noText.filter((value) => !ArrayBuffer.isView(value))

const signer = protocol.createSigner("sk_foo")
const grant = { key: "abc", appId: "a", expires: 2000, name: "a.txt", size: 1, type: "text/plain" }
const url = await protocol.signUploadUrl("http://ingest.test", grant, signer)

describe.each(platforms)("what is no text, with %s", (_, platform) => {
  it("is the signature of nothing", async () => {
    const own = platform.createSigner("sk_foo")
    await fc.assert(
      fc.asyncProperty(noText, fc.oneof(fc.string(), noText), async (signature, payload) => {
        expect(await own.verify(payload, signature)).toBe(false)
        expect(await platform.verifySignature(payload, signature, "sk_foo")).toBe(false)
      }),
    )
  })

  it("is no payload, however good the signature", async () => {
    const own = platform.createSigner("sk_foo")
    const signatures = await Promise.all(["", "null", "undefined", "[object Object]"].map((text) => own.sign(text)))
    await fc.assert(
      fc.asyncProperty(noBytes, fc.constantFrom(...signatures), async (payload, signature) => {
        expect(await own.verify(payload, signature)).toBe(false)
        expect(await platform.verifySignature(payload, signature, "sk_foo")).toBe(false)
      }),
    )
  })

  it("is no secret: nothing is signed or verified with a missing one", async () => {
    const empty = await platform.createSigner(" ").sign("x")
    await fc.assert(
      fc.asyncProperty(noText, async (secret) => {
        expect(() => platform.createSigner(secret)).toThrow(TypeError)
        await expect(platform.verifySignature("x", empty, secret)).rejects.toThrow(TypeError)
      }),
    )
  })
})

describe("what is no text", () => {
  it("is no signed URL, no upload URL, no token and no key", async () => {
    await fc.assert(
      fc.asyncProperty(noText, async (input) => {
        expect(await protocol.verifySignedUrl(input, signer)).toMatchObject({ ok: false, code: "INVALID_SIGNATURE" })
        expect(await protocol.verifyUploadUrl(input, signer, { now: 0 })).toMatchObject({ ok: false })
        expect(protocol.parseUploadUrl(input)).toMatchObject({ ok: false, code: "BAD_REQUEST" })
        expect(protocol.parseToken(input)).toMatchObject({ ok: false, code: "INVALID_TOKEN" })
        expect(protocol.isKeyOf(input, "abc")).toBe(false)
        expect(protocol.isKeyOf("undefined.", input)).toBe(false)
        expect(protocol.parseByteRange(input, 5)).toBeUndefined()
        const none = input === null || input === undefined
        expect(protocol.parseUploadRange(input)).toMatchObject(none ? { ok: true, value: 0 } : { ok: false })
      }),
    )
  })

  it("is no time: a URL has expired where nobody says what time it is", async () => {
    expect(await protocol.verifyUploadUrl(url, signer, { now: 1999 })).toMatchObject({ ok: true })
    for (const now of [undefined, Number.NaN, "soon"] as ReadonlyArray<unknown> as ReadonlyArray<number>) {
      expect(await protocol.verifyUploadUrl(url, signer, { now })).toMatchObject({ ok: false, code: "EXPIRED_URL" })
    }
    const grace = Number.NaN
    expect(await protocol.verifyUploadUrl(url, signer, { now: 0, grace })).toMatchObject({ code: "EXPIRED_URL" })
  })

  it("an app without an id has no files", () => {
    expect(protocol.isKeyOf("abc", "")).toBe(false)
  })
})
