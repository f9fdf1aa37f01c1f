import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatUploadRange, parseByteRange, parseUploadRange } from "../../../src/protocol/files/range.ts"

describe("the range of an upload", () => {
  it("begins at 0 without a header", () => {
    expect(parseUploadRange(null)).toEqual({ ok: true, value: 0 })
  })

  it("is read back as it was written", () => {
    fc.assert(
      fc.property(fc.nat({ max: Number.MAX_SAFE_INTEGER }), (start) => {
        expect(parseUploadRange(formatUploadRange(start))).toEqual({ ok: true, value: start })
      }),
    )
  })

  it.each([
    ["bytes=0-", 0],
    ["Bytes=5-", 5],
    [" bytes=5- ", 5],
    ["bytes=9007199254740991-", Number.MAX_SAFE_INTEGER],
  ])("%j begins at %d", (header, start) => {
    expect(parseUploadRange(header)).toEqual({ ok: true, value: start })
  })

  it.each([
    "",
    "bytes",
    "bytes=",
    "bytes=-",
    "bytes=-5",
    "bytes=0-5",
    "bytes=5-4",
    "bytes=0-,5-",
    "bytes=0-0,-1",
    "bytes 0-",
    "bytes=+5-",
    "bytes=-5-",
    "bytes=1.5-",
    "bytes=1e3-",
    "bytes=0x5-",
    "bytes= 5-",
    "items=0-",
    "bytes=9007199254740992-",
    `bytes=${"9".repeat(17)}-`,
    "bytes=٥-",
    "bytes=0-\n0",
  ])("%j is refused, and quoted", (header) => {
    expect(parseUploadRange(header)).toEqual({
      ok: false,
      code: "BAD_REQUEST",
      detail: `The range ${JSON.stringify(header)} is not of the form "bytes=<start>-".`,
    })
  })
})

describe("the range of a download (RFC 9110 §14)", () => {
  it.each([
    // §14.1.2, of a representation of 10,000 bytes
    ["bytes=0-499", 10_000, { start: 0, end: 499 }],
    ["bytes=500-999", 10_000, { start: 500, end: 999 }],
    ["bytes=-500", 10_000, { start: 9500, end: 9999 }],
    ["bytes=9500-", 10_000, { start: 9500, end: 9999 }],
    ["bytes=0-0", 10_000, { start: 0, end: 0 }],
    ["bytes=-1", 10_000, { start: 9999, end: 9999 }],
    ["bytes=0-", 1, { start: 0, end: 0 }],
    ["BYTES=1-2", 10, { start: 1, end: 2 }],
    // a last position beyond the end is cut, a suffix longer than the file is the file
    ["bytes=5-99999", 10, { start: 5, end: 9 }],
    ["bytes=9-9999999999999999", 10, { start: 9, end: 9 }],
    ["bytes=-11", 10, { start: 0, end: 9 }],
    ["bytes=-9999999999999999", 10, { start: 0, end: 9 }],
  ])("%j of %d bytes", (header, size, range) => {
    expect(parseByteRange(header, size)).toEqual(range)
  })

  it.each([
    ["bytes=10-", 10],
    ["bytes=10-20", 10],
    ["bytes=11-", 10],
    ["bytes=-0", 10],
    ["bytes=0-", 0],
    ["bytes=0-0", 0],
    ["bytes=-0", 0],
  ])("%j of %d bytes cannot be satisfied", (header, size) => {
    expect(parseByteRange(header, size)).toBe("unsatisfiable")
  })

  it.each([
    [null, 10],
    ["", 10],
    ["bytes=", 10],
    ["bytes=-", 10],
    ["bytes=5-4", 10],
    ["bytes=20-19", 10],
    ["bytes=0-1,3-4", 10],
    ["bytes=a-b", 10],
    ["bytes=1-2-3", 10],
    ["bytes=--1", 10],
    ["items=0-1", 10],
    ["bytes 0-1", 10],
    [`bytes=0-${"9".repeat(400)}`, 10],
    // a suffix of an empty file is satisfiable, but a 206 could not name its range
    ["bytes=-5", 0],
  ])("%j of %d bytes is ignored: the whole file is sent", (header, size) => {
    expect(parseByteRange(header, size)).toBeUndefined()
  })

  it("lies within the file whatever is asked", () => {
    const number = fc.oneof(fc.constant(""), fc.nat({ max: 30 }).map(String), fc.stringMatching(/^\d{15,16}$/))
    fc.assert(
      fc.property(number, number, fc.nat({ max: 20 }), (from, to, size) => {
        const range = parseByteRange(`bytes=${from}-${to}`, size)
        if (range === undefined || range === "unsatisfiable") return
        expect(range.start).toBeGreaterThanOrEqual(0)
        expect(range.end).toBeGreaterThanOrEqual(range.start)
        expect(range.end).toBeLessThan(size)
      }),
      { numRuns: 1000 },
    )
  })
})
