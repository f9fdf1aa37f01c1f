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
  expect(sentences({ files: Array(1000).fill(1) })).toMatch(/And 995 more\.$/)
})

it("looks at no more of a large input than its first issue", () => {
  let looks = 0
  const Counted = Schema.Number.check(Schema.makeFilter(() => ++looks < 0))
  const counting = createDecoder(Schema.Struct({ files: Schema.Array(Counted), odd: Schema.optional(Counted) }))
  const tell = (input: unknown) => Effect.runSync(Effect.result(counting(input)))
  for (const input of [{ files: Array(100_000).fill(1) }, { files: [1], odd: Array(100_000).fill({}) }]) {
    looks = 0
    expect(tell(input)).toMatchObject({ failure: expect.stringMatching(/^files\[0\]: /) })
    expect(tell(input)).not.toMatchObject({ failure: expect.stringContaining("more.") })
    expect(looks).toBe(2)
  }
  looks = 0
  expect(tell({ files: [1, 2] })).toMatchObject({ failure: expect.stringContaining("files[1]") })
  expect(looks).toBe(3)
})

const schemas = import.meta.glob<Record<string, unknown>>("../../src/schema/*.ts", { eager: true })
const messages = Object.values(schemas).flatMap((exported) =>
  Object.entries(exported).filter(([name]) => name.endsWith("Schema")),
)
const lists = ["files", "urls", "fileKeys", "updates", "moves", "customIds", "parts"]

it.each(messages)("%s: a list of a hundred thousand wrong elements costs one sentence", (_, schema) => {
  for (const mode of ["ignore", "error"] as const) {
    const decodeIt = createDecoder(schema as Schema.Codec<unknown, unknown>, mode)
    for (const element of [{}, 1, [], null]) {
      const input = Object.fromEntries(lists.map((list) => [list, Array(100_000).fill(element)]))
      const outcome = Effect.runSync(Effect.result(decodeIt(input)))
      if (Result.isFailure(outcome)) expect(outcome.failure).not.toMatch(/more\.$/)
    }
  }
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
