import * as fc from "fast-check"
import { describe, expect as theirs, it } from "vitest"
import { expect as ours } from "../../src/conformance/expect.ts"

const holds = (check: () => void): boolean => {
  try {
    check()
    return true
  } catch {
    return false
  }
}

/** Values of the kinds that the suites compare, often nearly equal ones. */
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(0, -0, 1, Number.NaN, "", "a", null, undefined, true, false),
    fc.uint8Array({ maxLength: 2 }),
    fc.constantFrom("a", "b").map((message) => new Error(message)),
    fc.array(tie("value"), { maxLength: 2 }),
    fc.dictionary(fc.constantFrom("a", "b"), tie("value"), { maxKeys: 2, noNullPrototype: true }),
  ),
}))

const object = fc.oneof(
  fc.array(value, { maxLength: 3 }),
  fc.dictionary(fc.constantFrom("a", "b", "c"), value, { noNullPrototype: true }),
)

describe("the expectations of the published suites", () => {
  it("say of any two values what Vitest's say", () => {
    fc.assert(
      fc.property(value, value, (actual, expected) => {
        for (const matcher of ["toBe", "toEqual"] as const) {
          theirs(holds(() => ours(actual)[matcher](expected))).toBe(holds(() => theirs(actual)[matcher](expected)))
          theirs(holds(() => ours(actual).not[matcher](expected))).toBe(
            holds(() => theirs(actual).not[matcher](expected)),
          )
        }
        theirs(holds(() => ours(actual).toEqual(structuredClone(actual)))).toBe(true)
      }),
      { numRuns: 2000 },
    )
  })

  it("say of no object that it has all of another one unless Vitest's do", () => {
    fc.assert(
      fc.property(object, object, (actual, expected) => {
        // An array with all fields of an object that is none is one to Vitest, and not to us.
        if (holds(() => ours(actual).toMatchObject(expected))) theirs(actual).toMatchObject(expected)
        ours({ ...actual, more: 1 }).toMatchObject({ ...actual })
      }),
      { numRuns: 2000 },
    )
    theirs(holds(() => ours({ a: [{ b: 1, c: 2 }] }).toMatchObject({ a: [{ b: 1 }] }))).toBe(true)
    theirs(holds(() => ours({ a: [1, 2] }).toMatchObject({ a: [1] }))).toBe(false)
  })

  it.each<readonly [string, (expect: typeof ours) => void, boolean]>([
    ["toMatch", (expect) => expect("abc").toMatch(/b/), true],
    ["toMatch", (expect) => expect("abc").toMatch(/d/), false],
    ["toBeNull", (expect) => expect(undefined).toBeNull(), false],
    ["toBeUndefined", (expect) => expect(null).toBeUndefined(), false],
    ["toBeDefined", (expect) => expect(undefined).toBeDefined(), false],
    ["toBeDefined", (expect) => expect(null).toBeDefined(), true],
    ["toBeGreaterThan", (expect) => expect(1).toBeGreaterThan(1), false],
    ["toBeGreaterThan", (expect) => expect(2).toBeGreaterThan(1), true],
    ["toBeLessThan", (expect) => expect(1).toBeLessThan(1), false],
    ["toBeLessThanOrEqual", (expect) => expect(1).toBeLessThanOrEqual(1), true],
    ["toBeLessThanOrEqual", (expect) => expect(2).toBeLessThanOrEqual(1), false],
    ["toContain", (expect) => expect(["a"]).toContain("a"), true],
    ["toContain", (expect) => expect(["a"]).toContain("b"), false],
    ["toContain", (expect) => expect("ab").toContain("c"), false],
    ["toContainEqual", (expect) => expect([{ a: 1 }]).toContainEqual({ a: 1 }), true],
    ["toContainEqual", (expect) => expect([{ a: 1, b: 2 }]).toContainEqual({ a: 1 }), false],
    ["toHaveLength", (expect) => expect([1]).toHaveLength(2), false],
    ["any", (expect) => expect({ a: 1 }).toEqual({ a: expect.any(Number) }), true],
    ["any", (expect) => expect({ a: "1" }).toEqual({ a: expect.any(Number) }), false],
    ["stringMatching", (expect) => expect({ a: "xy" }).toMatchObject({ a: expect.stringMatching(/^x/) }), true],
    ["stringMatching", (expect) => expect({ a: "y" }).toMatchObject({ a: expect.stringMatching(/^x/) }), false],
  ])("%s says what Vitest's says", (_, check, isTrue) => {
    theirs(holds(() => check(ours))).toBe(isTrue)
    theirs(holds(() => check(theirs as unknown as typeof ours))).toBe(isTrue)
  })

  it("fail with what was expected and what was found, and the hint before it", () => {
    theirs(() => ours({ a: 1 }, "the row").toEqual({ a: 2 })).toThrow(
      theirs.objectContaining({
        name: "AssertionError",
        message: "the row: expected { a: 1 } to equal { a: 2 }",
        actual: { a: 1 },
        expected: { a: 2 },
      }),
    )
  })
})
