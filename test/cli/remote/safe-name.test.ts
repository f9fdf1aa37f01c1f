import * as fc from "fast-check"
import { describe, expect, it } from "vitest"
import { toSafeName } from "../../../src/cli/remote/safe-name.ts"

describe("the name of a downloaded file", () => {
  it.each([
    ["photo.jpg", "photo.jpg"],
    ["my photo (1).jpg", "my photo (1).jpg"],
    ["👩‍👩‍👧 ünï.png", "👩‍👩‍👧 ünï.png"],
    ["../../x", "x"],
    ["C:\\windows\\x.exe", "x.exe"],
    ["a/..", "key"],
    [".", "key"],
    ["..", "key"],
    ["", "key"],
    [" ", "key"],
    ["x/", "key"],
    ["...env", "___env"],
    ["-rf", "_rf"],
    ["--", "__"],
    ["a.txt:stream", "a.txt_stream"],
    ['a<b>c"d|e?f*', "a_b_c_d_e_f_"],
    ["a\0b\u009bc\u202egnp.exe", "a_b_c_gnp.exe"],
    ["con", "_con"],
    ["Aux.tar.gz", "_Aux.tar.gz"],
    ["LPT9 .txt", "_LPT9 .txt"],
    ["com¹", "_com¹"],
    ["console", "console"],
    ["x. . .", "x"],
    [`${"ä".repeat(300)}.tar.gz`, `${"ä".repeat(98)}.gz`],
    [`a.${"x".repeat(300)}`, `a.${"x".repeat(198)}`],
    ["\ud800x", "\ufffdx"],
  ])("%j becomes %j", (name, expected) => {
    expect(toSafeName(name, "key")).toBe(expected)
  })

  it("stays in its folder, whatever it is", () => {
    const name = fc.oneof(
      fc.string({ unit: "binary", maxLength: 400 }),
      fc.string({ unit: fc.constantFrom(..."./\\ -:\0\n\u202eACONcon1"), maxLength: 30 }),
    )
    fc.assert(
      fc.property(name, (given) => {
        const safe = toSafeName(given, "key")
        expect(safe).not.toMatch(/[/\\:\p{Cc}\u202a-\u202e]|^[.-]|^\s|[. ]$/u)
        expect(Buffer.byteLength(safe)).toBeLessThanOrEqual(201)
        expect(safe).not.toBe("")
        expect(toSafeName(safe, "key")).toBe(safe)
      }),
      { numRuns: 2000 },
    )
  })
})
