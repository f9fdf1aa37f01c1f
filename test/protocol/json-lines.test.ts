import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { encodeJsonLine, heartbeatLine, readJsonLines } from "../../src/protocol/json-lines.ts"
import { limits } from "../../src/protocol/limits.ts"

const encoder = new TextEncoder()

const streamOf = (...chunks: ReadonlyArray<string | Uint8Array>) =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      for (const chunk of chunks) controller.enqueue(typeof chunk === "string" ? encoder.encode(chunk) : chunk)
      controller.close()
    },
  })

const read = async (stream: ReadableStream<Uint8Array>) => {
  const values: Array<unknown> = []
  for await (const value of readJsonLines(stream)) values.push(value)
  return values
}

describe("reading lines", () => {
  const values = [
    { payload: '{"a":"\\n"}', hook: "callback" },
    "ünï ✓ 😀\u2028",
    null,
    [1, 2.5],
    { "": { __proto__: 1 } },
  ]
  const text = values.map(encodeJsonLine).join(heartbeatLine)
  const bytes = encoder.encode(text)

  it("gives the same values wherever the stream is cut in two, inside characters too", async () => {
    for (let cut = 0; cut <= bytes.length; cut++) {
      expect(await read(streamOf(bytes.subarray(0, cut), bytes.subarray(cut)))).toEqual(values)
    }
  })

  it("gives the same values byte by byte", async () => {
    expect(await read(streamOf(...Array.from(bytes, (byte) => Uint8Array.of(byte))))).toEqual(values)
  })

  it("gives back what was written, in any chunks", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown)),
        fc.array(fc.nat({ max: 40 })),
        async (values, sizes) => {
          const bytes = encoder.encode(values.map(encodeJsonLine).join(""))
          const chunks: Array<Uint8Array> = []
          let at = 0
          for (const size of sizes) chunks.push(bytes.subarray(at, (at += size)))
          expect(await read(streamOf(...chunks, bytes.subarray(at)))).toEqual(values)
        },
      ),
    )
  })

  it("takes several lines in one chunk, and empty chunks", async () => {
    expect(await read(streamOf("1\n2\n", "", "3\n"))).toEqual([1, 2, 3])
  })

  it("skips heartbeats, also those with a carriage return or spaces", async () => {
    expect(await read(streamOf("\n", "\r\n", "1\r\n", "  \n", "\n\n2\n", "\n"))).toEqual([1, 2])
    expect(await read(streamOf("\n".repeat(10_000)))).toEqual([])
  })

  it("needs no newline after the last line", async () => {
    expect(await read(streamOf('{"a":1}\n{"b":', "2}"))).toEqual([{ a: 1 }, { b: 2 }])
    expect(await read(streamOf())).toEqual([])
  })

  it("gives a value as soon as its line is complete", async () => {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
    const writer = writable.getWriter()
    const lines = readJsonLines(readable)
    void writer.write(encoder.encode("1\n2"))
    expect(await lines.next()).toEqual({ done: false, value: 1 })
    void writer.write(encoder.encode("\n"))
    expect(await lines.next()).toEqual({ done: false, value: 2 })
    void writer.close()
    expect(await lines.next()).toEqual({ done: true, value: undefined })
  })
})

describe("a stream that goes wrong", () => {
  const endless = (chunk: Uint8Array) => {
    const seen = { bytes: 0, cancelled: false }
    const stream = new ReadableStream<Uint8Array>(
      {
        pull(controller) {
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

  it("is refused and cancelled at a line without end, having read little more than the limit", async () => {
    const { seen, stream } = endless(new Uint8Array(64 * 1024).fill(0x61))
    await expect(read(stream)).rejects.toThrow(RangeError)
    expect(seen.cancelled).toBe(true)
    expect(seen.bytes).toBeLessThanOrEqual(limits.jsonLine + 64 * 1024)
  })

  it("is refused at a line over the limit however it comes: with its newline, in one chunk, or as the last", async () => {
    const fits = JSON.stringify("a".repeat(limits.jsonLine - 2))
    const tooLong = JSON.stringify("a".repeat(limits.jsonLine - 1))
    expect(await read(streamOf(`${fits}\n${fits}`))).toHaveLength(2)
    const variants = [
      [`${tooLong}\n`],
      [tooLong],
      [`1\n${tooLong}\n2\n`],
      [tooLong.slice(0, 9), `${tooLong.slice(9)}\n`],
    ]
    for (const chunks of variants) await expect(read(streamOf(...chunks))).rejects.toThrow(RangeError)
  })

  it("is refused at a line that is not JSON, after the values before it", async () => {
    const { seen, stream } = endless(encoder.encode("1\n{oops\n"))
    const lines = readJsonLines(stream)
    expect(await lines.next()).toEqual({ done: false, value: 1 })
    await expect(lines.next()).rejects.toThrow(SyntaxError)
    expect(seen.cancelled).toBe(true)
  })

  it("is refused when it ends inside a line or a character", async () => {
    await expect(read(streamOf('{"a":'))).rejects.toThrow(SyntaxError)
    await expect(read(streamOf('"', encoder.encode("é").subarray(0, 1)))).rejects.toThrow(SyntaxError)
  })

  it("passes its own error on", async () => {
    const broken = new ReadableStream<Uint8Array>(
      {
        start: (controller) => controller.enqueue(encoder.encode("1\n")),
        pull: (controller) => controller.error(new Error("connection reset")),
      },
      { highWaterMark: 0 },
    )
    const lines = readJsonLines(broken)
    expect(await lines.next()).toEqual({ done: false, value: 1 })
    await expect(lines.next()).rejects.toThrow("connection reset")
  })

  it("is cancelled when the reader stops early", async () => {
    const { seen, stream } = endless(encoder.encode("1\n"))
    for await (const value of readJsonLines(stream)) {
      expect(value).toBe(1)
      break
    }
    expect(seen.cancelled).toBe(true)
  })
})

it("writes a value as exactly one line, whatever is in it", () => {
  fc.assert(
    fc.property(fc.jsonValue(), (value) => {
      expect(encodeJsonLine(value).indexOf("\n")).toBe(encodeJsonLine(value).length - 1)
    }),
  )
  expect(encodeJsonLine({ a: "x\ny" })).toBe('{"a":"x\\ny"}\n')
})
