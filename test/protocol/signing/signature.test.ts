import { createHmac } from "node:crypto"
import { readFileSync } from "node:fs"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import * as onNode from "../../../src/protocol/signing/signature.ts"
import { loadWithoutNodeCrypto } from "../without-node-crypto.ts"

const vectors = JSON.parse(readFileSync(new URL("../../vectors.json", import.meta.url), "utf8")) as {
  readonly signPayload: ReadonlyArray<{ payload: string; secret: string; signature: string }>
  readonly verifySignature: ReadonlyArray<{
    label: string
    payload: string
    signature: string
    secret: string
    valid: boolean
  }>
}

const onTheWeb = await loadWithoutNodeCrypto()

const platforms = [
  ["node:crypto", onNode],
  ["Web Crypto", onTheWeb],
] as const

it("signs synchronously with node:crypto, asynchronously with Web Crypto", () => {
  expect(onNode.createSigner("sk_a").sign("x")).toBeTypeOf("string")
  expect(onNode.createSigner("sk_a").verify("x", "y")).toBeTypeOf("boolean")
  expect(onTheWeb.createSigner("sk_a").sign("x")).toBeInstanceOf(Promise)
})

describe.each(platforms)("with %s", (_, platform) => {
  it.each(vectors.signPayload)("signs $payload with $secret as the reference does", async (vector) => {
    expect(await platform.signPayload(vector.payload, vector.secret)).toBe(vector.signature)
    expect(await platform.createSigner(vector.secret).sign(new TextEncoder().encode(vector.payload))).toBe(
      vector.signature,
    )
  })

  it.each(vectors.verifySignature)("verifies as the reference does: $label", async (vector) => {
    expect(await platform.verifySignature(vector.payload, vector.signature, vector.secret)).toBe(vector.valid)
  })

  it("requires the prefix in everything Sluice verifies itself", async () => {
    const signer = platform.createSigner("sk_foo")
    const signature = await signer.sign("hello world")
    const digest = signature.slice("hmac-sha256=".length)
    expect(await signer.verify("hello world", signature)).toBe(true)
    for (const other of [digest, `XXXXXXXXXXXX${digest}`, `HMAC-SHA256=${digest}`, ` ${signature}`, `${signature} `]) {
      expect(await signer.verify("hello world", other)).toBe(false)
    }
  })

  it("refuses a signature with any one digit changed, one more, or one less", async () => {
    const signer = platform.createSigner("sk_foo")
    const signature = await signer.sign("hello world")
    for (let i = "hmac-sha256=".length; i < signature.length; i++) {
      const changed = signature.slice(0, i) + (signature[i] === "0" ? "1" : "0") + signature.slice(i + 1)
      expect(await signer.verify("hello world", changed)).toBe(false)
    }
    expect(await signer.verify("hello world", signature.slice(0, -1))).toBe(false)
    expect(await signer.verify("hello world", `${signature}0`)).toBe(false)
    expect(await signer.verify("hello world", `${signature}\n`)).toBe(false)
  })

  it("signs bytes that are no text, a view into a larger buffer, and nothing at all", async () => {
    const signer = platform.createSigner("sk_foo")
    const buffer = new Uint8Array([9, 9, 0xff, 0xfe, 0, 0x80, 9])
    const view = buffer.subarray(2, 6)
    const expected = createHmac("sha256", "sk_foo").update(view).digest()
    expect(await signer.sign(view)).toBe(`hmac-sha256=${expected.toString("hex")}`)
    expect(await signer.signBase64(view)).toBe(expected.toString("base64"))
    expect(await signer.verify(view, `hmac-sha256=${expected.toString("hex")}`)).toBe(true)
    expect(await signer.sign("")).toBe(await signer.sign(new Uint8Array(0)))
  })

  it("refuses to sign with an empty secret, and leaves no rejected promise behind", async () => {
    expect(() => platform.createSigner("")).toThrow("The secret to sign with is empty.")
    await expect(platform.signPayload("x", "")).rejects.toThrow(TypeError)
    await expect(platform.verifySignature("x", `hmac-sha256=${"0".repeat(64)}`, "")).rejects.toThrow(TypeError)
  })
})

it("gives the same signatures with both, for any secret and any text, lone surrogates too", async () => {
  const text = fc.oneof(fc.string({ unit: "binary" }), fc.constantFrom("\ud800", "a\udfff", "\udc00\ud800"))
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary", minLength: 1, maxLength: 100 }), text, async (secret, payload) => {
      const [node, web] = [onNode.createSigner(secret), onTheWeb.createSigner(secret)]
      const signature = await node.sign(payload)
      expect(signature).toMatch(/^hmac-sha256=[0-9a-f]{64}$/)
      expect(await web.sign(payload)).toBe(signature)
      expect(await web.signBase64(payload)).toBe(await node.signBase64(payload))
      expect(await web.verify(payload, signature)).toBe(true)
      expect(await node.verify(payload, signature)).toBe(true)
      const independent = createHmac("sha256", secret).update(payload, "utf8").digest("hex")
      expect(signature).toBe(`hmac-sha256=${independent}`)
    }),
  )
})

it("never throws on a hostile signature, and never takes one", async () => {
  await fc.assert(
    fc.asyncProperty(fc.string({ unit: "binary" }), fc.constantFrom("", "hmac-sha256="), async (junk, prefix) => {
      expect(await onNode.createSigner("sk_foo").verify("payload", prefix + junk)).toBe(false)
      expect(await onTheWeb.createSigner("sk_foo").verify("payload", prefix + junk)).toBe(false)
      expect(await onNode.verifySignature("payload", prefix + junk, "sk_foo")).toBe(false)
    }),
  )
})
