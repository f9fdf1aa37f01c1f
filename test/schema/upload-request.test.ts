import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createSigner } from "../../src/protocol/signing/signature.ts"
import { signUploadUrl, verifyUploadUrl } from "../../src/protocol/signing/signed-url.ts"
import { createDecoder } from "../../src/schema/decode.ts"
import { RenewRequestSchema, UploadRequestSchema } from "../../src/schema/upload-request.ts"

const decodeUpload = createDecoder(UploadRequestSchema)
const decodeRenew = createDecoder(RenewRequestSchema)
const upload = (body: unknown) => Effect.runSync(Effect.result(decodeUpload(body)))
const renew = (body: unknown) => Effect.runSync(Effect.result(decodeRenew(body)))

const file = { name: "a.png", size: 1, type: "image/png" }
const uploadOf = (field: object) => upload({ files: [{ ...file, ...field }] })

describe("an upload request", () => {
  it("is taken as it is", () => {
    const body = {
      files: [
        { ...file, lastModified: 1_700_000_000_000 },
        { ...file, type: "" },
      ],
      input: { a: [1, null] },
    }
    expect(upload(body)).toEqual(Result.succeed(body))
  })

  it("loses fields nobody knows", () => {
    expect(upload({ files: [{ ...file, folder: "/etc" }], admin: true })).toEqual(Result.succeed({ files: [file] }))
  })

  it.each([
    ["null", null, "Expected object."],
    ["nothing", undefined, "Expected object."],
    ["a number", 1, "Expected object."],
    ["a list", [], "Expected object."],
    ["a string", "{}", "Expected object."],
    ["{}", {}, "files: missing key."],
    ["no file", { files: [] }, "files: expected at least one file."],
    ["files as an object", { files: { 0: file, length: 1 } }, "files: expected array."],
    ["a file that is null", { files: [file, null] }, "files[1]: expected object."],
    ["a file that is a list", { files: [[]] }, "files[0]: expected object."],
    ["1001 files", { files: Array(1001).fill(file) }, "files: expected at most 1000 files."],
  ])("of %s is refused with a sentence", (_, body, sentence) => {
    expect(upload(body)).toEqual(Result.fail(sentence))
  })

  it("of 1000 files is taken", () => {
    expect(Result.isSuccess(upload({ files: Array(1000).fill(file) }))).toBe(true)
  })

  it.each([0, 1, 2 ** 53 - 1])("takes a size of %d", (size) => {
    expect(Result.isSuccess(uploadOf({ size }))).toBe(true)
  })

  it.each([-1, 1.5, 1e21, 2 ** 53, Number.POSITIVE_INFINITY, Number.NaN, -0.5])("refuses a size of %d", (size) => {
    expect(uploadOf({ size })).toEqual(Result.fail("files[0].size: expected a whole number of bytes, 0 or more."))
  })

  it("refuses a size that is no number: JSON writes NaN as null", () => {
    expect(upload(JSON.parse(JSON.stringify({ files: [{ ...file, size: Number.NaN }] })))).toEqual(
      Result.fail("files[0].size: expected number."),
    )
    for (const size of ["1", true, [1], {}]) expect(Result.isFailure(uploadOf({ size }))).toBe(true)
  })

  it.each([
    ["ünï cödé (1) & #?+%.pdf"],
    ["👩‍👩‍👧‍👦🏳️‍🌈.png"],
    ["a".repeat(255)],
    ["é".repeat(512)],
    [".."],
    ["../../etc/passwd"],
    ["C:\\a.txt"],
    [" "],
    ["a\nb"],
    ["\u202egnp.exe"],
    ["__proto__"],
  ])("the name %j is taken and survives in the signed URL", (name) => {
    expect(uploadOf({ name })).toEqual(Result.succeed({ files: [{ ...file, name }] }))
    const signer = createSigner("sk_a")
    const url = signUploadUrl("http://x", { ...file, name, key: "key", appId: "app", expires: 9 }, signer) as string
    expect(verifyUploadUrl(url, signer, { now: 0 })).toMatchObject({ ok: true, value: { name } })
  })

  it.each([
    ["", "not empty"],
    ["a\0.png", "without NUL characters"],
    ["\ud800.png", "no lone surrogates"],
    ["a\udfff", "no lone surrogates"],
    ["a".repeat(1025), "at most 1024 bytes"],
    ["é".repeat(513), "at most 1024 bytes"],
    ["😀".repeat(257), "at most 1024 bytes"],
  ])("the name %j is refused", (name, reason) => {
    const outcome = uploadOf({ name })
    expect(Result.isFailure(outcome) && outcome.failure).toMatch(/^files\[0\]\.name: expected a file name .*\.$/)
    expect(Result.isFailure(outcome) && outcome.failure).toContain(reason)
  })

  it("takes a name exactly when it is 1 to 1024 bytes of whole characters without NUL", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary" }),
      fc.string({ unit: fc.constantFrom("\0", "\ud83d", "\ude00", "a", "é", "😀"), maxLength: 5 }),
      fc.tuple(fc.constantFrom("a", "é", "✓", "😀"), fc.integer({ min: 250, max: 1030 })).map(([c, n]) => c.repeat(n)),
    )
    fc.assert(
      fc.property(name, (name) => {
        const fits = name !== "" && Buffer.byteLength(name) <= 1024 && name.isWellFormed() && !name.includes("\0")
        expect(Result.isSuccess(uploadOf({ name }))).toBe(fits)
      }),
    )
  })

  it("bounds the type and refuses a date that is no number JSON could hold", () => {
    expect(Result.isSuccess(uploadOf({ type: "x".repeat(255) }))).toBe(true)
    expect(Result.isFailure(uploadOf({ type: "x".repeat(256) }))).toBe(true)
    expect(Result.isFailure(uploadOf({ type: null }))).toBe(true)
    expect(Result.isSuccess(uploadOf({ lastModified: -1.5 }))).toBe(true)
    expect(
      Result.isFailure(upload(JSON.parse('{"files":[{"name":"a","size":1,"type":"","lastModified":1e999}]}'))),
    ).toBe(true)
    expect(Result.isFailure(uploadOf({ lastModified: "now" }))).toBe(true)
  })

  it("takes nothing from __proto__, and touches no prototype", () => {
    expect(upload(JSON.parse(`{"__proto__":{"files":[${JSON.stringify(file)}]}}`))).toEqual(
      Result.fail("files: missing key."),
    )
    expect(upload(JSON.parse('{"files":[{"__proto__":{"name":"a","size":1,"type":""}}]}'))).toEqual(
      Result.fail("files[0].name: missing key. files[0].size: missing key. files[0].type: missing key."),
    )
    const outcome = upload(
      JSON.parse(`{"files":[${JSON.stringify(file)}],"__proto__":{"polluted":1},"input":{"__proto__":{"polluted":1}}}`),
    )
    expect(Result.isSuccess(outcome) && Object.getPrototypeOf(outcome.success)).toBe(Object.prototype)
    expect(Result.isSuccess(outcome) && "polluted" in outcome.success).toBe(false)
    expect("polluted" in {}).toBe(false)
  })

  it("leaves the input alone, whatever it is", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (input) => {
        const outcome = upload({ files: [file], input })
        expect(Result.isSuccess(outcome) && outcome.success.input).toBe(input)
      }),
    )
  })

  it("never dies, whatever the body", () => {
    const shape = fc.object({
      key: fc.constantFrom("files", "name", "size", "type", "input", "__proto__", "length"),
      maxDepth: 4,
    })
    fc.assert(
      fc.property(fc.oneof(fc.anything(), shape), (body) => {
        const outcome = upload(body)
        if (Result.isFailure(outcome)) expect(outcome.failure).toMatch(/\.$/)
      }),
    )
  })
})

describe("a renew request", () => {
  it("is taken with 1 to 1000 URLs", () => {
    const body = { urls: ["http://x/a?b"], input: null }
    expect(renew(body)).toEqual(Result.succeed(body))
    expect(Result.isSuccess(renew({ urls: Array(1000).fill("x") }))).toBe(true)
    expect(renew({ urls: [] })).toEqual(Result.fail("urls: expected at least one URL."))
    expect(renew({ urls: Array(1001).fill("x") })).toEqual(Result.fail("urls: expected at most 1000 URLs."))
    expect(renew({ urls: ["a", 1] })).toEqual(Result.fail("urls[1]: expected string."))
    expect(renew({})).toEqual(Result.fail("urls: missing key."))
  })
})
