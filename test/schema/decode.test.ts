import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { expect, it } from "vitest"
import { createDecoder } from "../../src/schema/decode.ts"
import { UploadRequestSchema } from "../../src/schema/upload-request.ts"

const decode = createDecoder(UploadRequestSchema)
const sentences = (input: unknown) => {
  const outcome = Effect.runSync(Effect.result(decode(input)))
  return Result.isFailure(outcome) ? outcome.failure : undefined
}

it("writes one sentence an issue, each with its path", () => {
  expect(sentences({ files: [{ name: "", size: -1, type: 5 }] })).toBe(
    "files[0].name: expected a file name that is not empty. files[0].size: expected a whole number of bytes, 0 or more. files[0].type: expected string.",
  )
})

it("writes five sentences and counts the rest", () => {
  expect(sentences({ files: [{}, {}] })).toBe(
    "files[0].name: missing key. files[0].size: missing key. files[0].type: missing key. files[1].name: missing key. files[1].size: missing key. And 1 more.",
  )
  expect(sentences({ files: Array(100_000).fill(1) })).toMatch(/And 99995 more\.$/)
})

it("writes no path where the whole is wrong", () => {
  expect(sentences(null)).toBe("Expected object.")
})

it("leaves the path of an odd key readable", () => {
  const odd = createDecoder(Schema.Struct({ "a b": Schema.Struct({ $c: Schema.String }) }))
  expect(Effect.runSync(Effect.result(odd({ "a b": { $c: 1 } })))).toEqual(Result.fail('["a b"].$c: expected string.'))
})

it("does not quote what was sent: it may be secret or a megabyte long", () => {
  const secret = 'hunter2\n  at ["x"]'
  for (const body of [
    secret,
    { files: secret },
    { files: [secret] },
    { files: [{ name: 1, size: secret, type: "" }] },
  ]) {
    expect(sentences(body)).not.toContain("hunter2")
  }
})
