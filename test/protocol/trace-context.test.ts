import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { createTraceparent, parseTraceContext } from "../../src/protocol.ts"

const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
const parse = (headers: Record<string, string>) => parseTraceContext(new Headers(headers))

describe("parseTraceContext", () => {
  it("takes a traceparent, and the tracestate beside it unread", () => {
    expect(parse({ traceparent })).toEqual({ traceparent })
    expect(parse({ traceparent, tracestate: "a=1,b=2" })).toEqual({ traceparent, tracestate: "a=1,b=2" })
  })

  it("takes the last of several: the one of the hop next to us", () => {
    const headers = new Headers({ traceparent })
    const nearer = traceparent.replace("b7ad6b71", "00000001")
    headers.append("traceparent", nearer)
    expect(parseTraceContext(headers)).toEqual({ traceparent: nearer })
  })

  for (const wrong of [
    "",
    "garbage",
    traceparent.toUpperCase(),
    traceparent.slice(0, -1),
    `${traceparent}-extra`,
    traceparent.replace("00-", "ff-"),
    traceparent.replace("0af7651916cd43dd8448eb211c80319c", "0".repeat(32)),
    traceparent.replace("b7ad6b7169203331", "0".repeat(16)),
    `${traceparent}, x`,
  ]) {
    it(`ignores ${JSON.stringify(wrong)}`, () => expect(parse({ traceparent: wrong })).toBeUndefined())
  }

  it("passes on no tracestate without a traceparent, none that is too long and none that is no text", () => {
    expect(parse({ tracestate: "a=1" })).toBeUndefined()
    expect(parse({ traceparent, tracestate: "a".repeat(513) })).toEqual({ traceparent })
    expect(parse({ traceparent, tracestate: "a=ü" })).toEqual({ traceparent })
  })

  it("gives nothing but what headers can hold, whatever comes", () => {
    const text = fc.string({ unit: fc.integer({ min: 32, max: 255 }).map((code) => String.fromCharCode(code)) })
    fc.assert(
      fc.property(text, text, (first, second) => {
        const context = parse({ traceparent: `${first}${traceparent}`, tracestate: second })
        for (const value of Object.values(context ?? {})) expect(value).toMatch(/^[\x20-\x7e]+$/)
        if (context !== undefined) expect(context.traceparent).toBe(traceparent)
      }),
    )
  })
})

it("a new traceparent is valid, sampled, and never the same", () => {
  const made = Array.from({ length: 100 }, createTraceparent)
  for (const one of made) expect(parse({ traceparent: one })).toEqual({ traceparent: expect.stringMatching(/-01$/) })
  expect(new Set(made).size).toBe(100)
})
