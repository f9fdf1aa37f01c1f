import * as Effect from "effect/Effect"
import * as Result from "effect/Result"
import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { countMembers } from "../../src/ingest/requests/count-members.ts"
import { parseJson, readBytes, readMessage } from "../../src/server-kit/read-body.ts"
import type { Rejected } from "../../src/server-kit/rejected.ts"
import { createDecoder } from "../../src/schema/decode.ts"
import { UploadRequestSchema } from "../../src/schema/upload-request.ts"

const requestOf = (body: BodyInit | null, headers: Record<string, string> = {}) =>
  new Request("http://x/", { method: "POST", body, headers, duplex: "half" } as RequestInit)

/** A body that counts what was taken from it. */
const countedStream = (chunks: ReadonlyArray<Uint8Array> | "endless") => {
  const seen = { bytes: 0, cancelled: false }
  let next = 0
  const stream = new ReadableStream<Uint8Array>(
    {
      pull(controller) {
        const chunk = chunks === "endless" ? new Uint8Array(1024) : chunks[next++]
        if (chunk === undefined) return controller.close()
        seen.bytes += chunk.length
        controller.enqueue(chunk)
      },
      cancel() {
        seen.cancelled = true
      },
    },
    { highWaterMark: 0 },
  )
  return { seen, stream }
}

const read = (request: Request, maximum: number) =>
  Effect.runPromise(Effect.result(readBytes(request, maximum, 60_000)))
const tooLarge = (detail: string) => Result.fail(expect.objectContaining({ code: "BAD_REQUEST", status: 413, detail }))

describe("readBytes", () => {
  it("gives the bytes exactly as they were sent, however they were cut", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ maxLength: 50 })), fc.boolean(), async (chunks, announced) => {
        const all = Buffer.concat(chunks)
        const headers = announced ? { "content-length": String(all.length) } : {}
        const outcome = await read(
          requestOf(countedStream(chunks.filter((chunk) => chunk.length > 0)).stream, headers),
          5000,
        )
        expect(Result.isSuccess(outcome) && Buffer.from(outcome.success).equals(all)).toBe(true)
      }),
    )
  })

  it.each([
    ["SvelteKit's, as the stream's error", Object.assign(new Error("exceeds limit"), { status: 413 })],
    ["as its cause", new TypeError("terminated", { cause: { statusCode: 413 } })],
  ])("tells a framework's own limit of bodies from a connection that broke: %s", async (_, error) => {
    const failing = (cause: unknown) => new ReadableStream({ pull: (controller) => controller.error(cause) })
    const limit = { code: "INVALID_CONFIG", status: 413, detail: expect.stringContaining("BODY_SIZE_LIMIT") }
    expect(await read(requestOf(failing(error)), 10)).toEqual(Result.fail(expect.objectContaining(limit)))
    const broken = { code: "BAD_REQUEST", detail: expect.stringContaining("broke off") }
    expect(await read(requestOf(failing(new Error("reset"))), 10)).toEqual(Result.fail(expect.objectContaining(broken)))
  })

  it("gives no bytes of an empty or absent body", async () => {
    expect(await read(requestOf(""), 10)).toEqual(Result.succeed(new Uint8Array(0)))
    expect(await read(requestOf(null), 10)).toEqual(Result.succeed(new Uint8Array(0)))
    expect(await read(new Request("http://x/"), 0)).toEqual(Result.succeed(new Uint8Array(0)))
  })

  it.each([true, false])(
    "takes as many bytes as allowed and not one more (content-length sent: %s)",
    async (announced) => {
      const of = (length: number) =>
        requestOf(countedStream([new Uint8Array(length)]).stream, announced ? { "content-length": String(length) } : {})
      expect(Result.isSuccess(await read(of(1024), 1024))).toBe(true)
      expect(await read(of(1025), 1024)).toEqual(tooLarge("The request's body is larger than 1KB."))
    },
  )

  it("refuses by the announced length before it reads anything", async () => {
    const { seen, stream } = countedStream("endless")
    expect(Result.isFailure(await read(requestOf(stream, { "content-length": "1025" }), 1024))).toBe(true)
    expect(seen.bytes).toBe(0)
  })

  it.each([{}, { "content-length": "1" }, { "content-length": "nonsense" }, { "content-length": "-1" }])(
    "stops an endless body soon after the limit, whatever its headers say: %j",
    async (headers) => {
      const { seen, stream } = countedStream("endless")
      expect(await read(requestOf(stream, headers), 10_240)).toEqual(
        tooLarge("The request's body is larger than 10KB."),
      )
      expect(seen.bytes).toBeLessThanOrEqual(12 * 1024)
      expect(seen.cancelled).toBe(true)
    },
  )

  it("says so when the body broke off", async () => {
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(new Uint8Array(3))
        controller.error(new Error("socket hang up"))
      },
    })
    const outcome = await read(requestOf(broken), 10)
    expect(outcome).toEqual(
      Result.fail(
        expect.objectContaining({ code: "BAD_REQUEST", detail: "The request's body broke off. Send it again." }),
      ),
    )
    expect(Result.isFailure(outcome) && outcome.failure.cause).toMatchObject({ message: "socket hang up" })
  })

  it("names the fix when somebody has read the body, or is reading it", async () => {
    const used = requestOf("{}")
    await used.text()
    const locked = requestOf("{}")
    locked.body!.getReader()
    for (const request of [used, locked]) {
      expect(await read(request, 10)).toEqual(
        Result.fail(
          expect.objectContaining({
            code: "INVALID_CONFIG",
            detail: expect.stringContaining(
              "Put the handler before the code that reads bodies, or let that read `request.clone()`.",
            ),
          }),
        ),
      )
    }
  })
})

describe("parseJson", () => {
  const json = (body: BodyInit) =>
    Effect.runPromise(
      Effect.result(Effect.flatMap(readBytes(requestOf(body), 1000, 60_000), (bytes) => parseJson(bytes))),
    )

  it("reads any JSON value, with white space or a byte order mark around it", async () => {
    await fc.assert(
      fc.asyncProperty(fc.json(), async (text) => {
        expect(await json(text)).toEqual(Result.succeed(JSON.parse(text)))
      }),
      { numRuns: 50 },
    )
    expect(await json(' \r\n{"a":"\\u00fc ✓"}\t')).toEqual(Result.succeed({ a: "ü ✓" }))
    expect(await json("\ufeff{}")).toEqual(Result.succeed({}))
  })

  it.each([
    ["nothing", ""],
    ["white space", " \n"],
    ["a word", "undefined"],
    ["half an object", '{"a":'],
    ["two values", "{}{}"],
    ["a trailing comma", "[1,]"],
    ["single quotes", "{'a':1}"],
    ["NaN", "NaN"],
    ["form fields", "a=1&b=2"],
    ["bytes that are no UTF-8", new Uint8Array([0x22, 0xff, 0x22])],
    ["an encoded lone surrogate", new Uint8Array([0x22, 0xed, 0xa0, 0x80, 0x22])],
    ["UTF-16", new Uint8Array([0xff, 0xfe, 0x7b, 0, 0x7d, 0])],
  ])("refuses %s with a code and a sentence", async (_, body) => {
    expect(await json(body)).toEqual(
      Result.fail(expect.objectContaining({ code: "BAD_REQUEST", detail: "The request's body is not JSON." })),
    )
  })

  it.each([
    ["arrays", "[", "]"],
    ["objects", '{"a":', "}"],
    ["what never ends", "[{", ""],
  ])("refuses %s nested deeper than can be written again", async (_, open, close) => {
    const nested = new TextEncoder().encode(`${open.repeat(500_000)}1${close.repeat(500_000)}`)
    expect(await Effect.runPromise(Effect.result(parseJson(nested)))).toEqual(
      Result.fail(
        expect.objectContaining({
          code: "BAD_REQUEST",
          detail: "The request's body is nested more than 500 levels deep.",
        }),
      ),
    )
  })

  it("takes what is as deep as it may be, and counts no brackets in strings", async () => {
    const parse = (text: string) =>
      Effect.runPromise(Effect.result(parseJson(new TextEncoder().encode(text), { depth: 2 })))
    const rows = [
      ["[[1],[2],{}]", true],
      ['[{"[[[":"{{{"}]', true],
      ['["\\"[[[","\\\\",[1]]', true],
      ["[[[]]]", false],
      ['["\\\\",[[1]]]', false],
      ['[{"a":{}}]', false],
    ] as const
    for (const [text, isTaken] of rows) expect([text, Result.isSuccess(await parse(text))]).toEqual([text, isTaken])
  })

  it.each([
    ["members", `{${Array.from({ length: 1000 }, (_, i) => `"k${i}":1`).join()}}`],
    ["elements", `[${"0,".repeat(999)}0]`],
    ["arrays in each other", `${"[".repeat(400)}${"]".repeat(400)},`.repeat(3)],
    ["what never ends", "[{},".repeat(500)],
  ])("refuses too many values before they are parsed: %s", async (_, text) => {
    const parse = (values: number) =>
      Effect.runPromise(Effect.result(parseJson(new TextEncoder().encode(text), { values })))
    const refused = (detail: string) => Result.fail(expect.objectContaining({ code: "BAD_REQUEST", detail }))
    expect(await parse(999)).toEqual(refused("The request's body has more than 999 values."))
    // Commas in texts separate nothing.
    const words = JSON.stringify([",".repeat(2000), '",[{'.repeat(500)])
    const outcome = parseJson(new TextEncoder().encode(words), { values: 4 })
    expect(Result.isSuccess(await Effect.runPromise(Effect.result(outcome)))).toBe(true)
  })

  it.each([
    ['{"owner":"o1","owner":"zzz"}', false],
    ['{"a":[{"b":1},{"b":2,"\\u0062":3}]}', false],
    ['{"__proto__":1,"__proto__":2}', false],
    ['{"":1,"a:b":"c:d","c":{"a:b":["x",{"":{}}]},"__proto__":{"__proto__":1}}', true],
    ['[1,"a:b",null]', true],
  ])("refuses a member that an object has twice, where it is told to: %s", async (text, isTaken) => {
    const parse = (isUnique: boolean) =>
      Effect.runPromise(
        Effect.result(parseJson(new TextEncoder().encode(text), { count: isUnique ? countMembers : undefined })),
      )
    expect(await parse(false)).toEqual(Result.succeed(JSON.parse(text)))
    expect(await parse(true)).toEqual(
      isTaken
        ? Result.succeed(JSON.parse(text))
        : Result.fail(
            expect.objectContaining({ code: "BAD_REQUEST", detail: "The request's body has a member twice." }),
          ),
    )
  })

  it("keeps __proto__ a plain key", async () => {
    const outcome = await json('{"__proto__":{"polluted":1}}')
    expect(Result.isSuccess(outcome) && Object.keys(outcome.success as object)).toEqual(["__proto__"])
    expect("polluted" in {}).toBe(false)
  })
})

it("readMessage refuses what the decoder refuses, with its sentences", async () => {
  const read = (body: string): Promise<Result.Result<unknown, Rejected>> =>
    Effect.runPromise(Effect.result(readMessage(requestOf(body), 1000, 60_000, createDecoder(UploadRequestSchema))))
  expect(await read('{"files":[{"name":"a","size":-1,"type":""}]}')).toEqual(
    Result.fail(
      expect.objectContaining({
        code: "BAD_REQUEST",
        detail: "files[0].size: expected a whole number of bytes, 0 or more.",
      }),
    ),
  )
  const body = { files: [{ name: "a", size: 1, type: "" }] }
  expect(await read(JSON.stringify(body))).toEqual(Result.succeed(body))
})
