import fc from "fast-check"
import { describe, expect, it } from "vitest"
import { formatByteSize, normalizeByteSize, parseByteSize, toBytes } from "../../src/protocol/byte-size.ts"

describe("parseByteSize", () => {
  it.each([
    ["0B", 0],
    ["1B", 1],
    ["1023B", 1023],
    ["1KB", 1024],
    ["64KB", 65_536],
    ["1.5MB", 1_572_864],
    ["4MB", 4_194_304],
    ["0.5GB", 536_870_912],
    ["1GB", 1_073_741_824],
    ["5TB", 5_497_558_138_880],
    ["1.1KB", 1126],
    ["0.0001KB", 0],
    ["4mb", 4_194_304],
    ["4 MB", 4_194_304],
    [" 4Mb ", 4_194_304],
    ["007KB", 7168],
    [0, 0],
    [1_500_000, 1_500_000],
    [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  ])("%j is %d bytes", (size, bytes) => {
    expect(parseByteSize(size)).toStrictEqual({ ok: true, value: bytes })
  })

  it.each([
    "",
    " ",
    "MB",
    "4",
    "1024",
    "-4MB",
    "+4MB",
    "4.MB",
    ".5MB",
    "4,5MB",
    "1_000B",
    "1e3B",
    "0x10B",
    "4MiB",
    "4M",
    "4MBps",
    "4MB 4MB",
    "4\u00a0M B",
    "٤MB",
    "NaN",
    "Infinity",
    "NaNMB",
    "9007199254740992B",
    "9999999999TB",
    "4MB\0",
    -1,
    1.5,
    1e21,
    Number.NaN,
    Number.POSITIVE_INFINITY,
    2 ** 53,
  ])("%j is no size, and the refusal says how to write one", (size) => {
    expect(parseByteSize(size)).toEqual({
      ok: false,
      code: "INVALID_CONFIG",
      detail: `${JSON.stringify(size)} is not a size. Write bytes or e.g. "512KB", "4MB", "1.5GB".`,
    })
  })

  it("never throws, and gives whole safe numbers only", () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.double(), fc.stringMatching(/^\d+(\.\d+)? ?[KMGTkmgt]?[Bb]$/)), (size) => {
        const outcome = parseByteSize(size)
        if (outcome.ok) expect(Number.isSafeInteger(outcome.value) && outcome.value >= 0).toBe(true)
        else expect(outcome.code).toBe("INVALID_CONFIG")
      }),
    )
  })
})

describe("formatByteSize", () => {
  it.each([
    [0, "0B"],
    [1, "1B"],
    [1023, "1023B"],
    [1024, "1KB"],
    [1536, "1.5KB"],
    [1_048_575, "1MB"],
    [1_572_864, "1.5MB"],
    [5_497_558_138_880, "5TB"],
    [1024 ** 5, "1024TB"],
    [Number.MAX_SAFE_INTEGER, "8192TB"],
  ])("%d bytes are %s", (bytes, text) => {
    expect(formatByteSize(bytes)).toBe(text)
  })

  it("is read back to within its one decimal", () => {
    fc.assert(
      fc.property(fc.nat({ max: 2 ** 50 }), (bytes) => {
        const back = parseByteSize(formatByteSize(bytes))
        expect(back.ok && Math.abs(back.value - bytes) <= Math.max(1, bytes * 0.051)).toBe(true)
      }),
    )
  })

  it("is read back exactly where one decimal is enough", () => {
    fc.assert(
      fc.property(fc.nat({ max: 2046 }), fc.nat({ max: 4 }), (halves, unit) => {
        const bytes = (halves / 2) * 1024 ** unit
        fc.pre(Number.isInteger(bytes))
        expect(parseByteSize(formatByteSize(bytes))).toEqual({ ok: true, value: bytes })
      }),
    )
  })
})

describe("a size as route handlers write it", () => {
  it.each([
    ["4mb", "4MB"],
    [" 4 Mb ", "4MB"],
    ["1.5GB", "1.5GB"],
    ["007kb", "007KB"],
  ])("%j is %s", (size, written) => {
    expect(normalizeByteSize(size as "4MB")).toBe(written)
  })

  it("is as many bytes as what was parsed", () => {
    const number = fc.oneof(
      fc.nat(5000).map(String),
      fc.float({ min: 0, max: 4000, noNaN: true }).map((n) => n.toFixed(3)),
    )
    fc.assert(
      fc.property(number, fc.constantFrom("b", "KB", " mb", "GB", "Tb "), (number, unit) => {
        const size = `${number}${unit}` as "4MB"
        expect({ ok: true, value: toBytes(normalizeByteSize(size)) }).toStrictEqual(parseByteSize(size))
      }),
    )
  })
})
