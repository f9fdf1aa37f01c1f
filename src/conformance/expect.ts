import { AssertionError } from "node:assert"
import { inspect } from "node:util"

/** A value that stands for all that it matches. */
class Pattern {
  readonly name: string
  readonly matches: (actual: unknown) => boolean
  constructor(name: string, matches: (actual: unknown) => boolean) {
    this.name = name
    this.matches = matches
  }
  [inspect.custom](): string {
    return this.name
  }
}

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null

/** The fields that count: one that is undefined is as one that is not there. */
const fieldsOf = (value: object): ReadonlyArray<string> =>
  Object.entries(value).flatMap(([name, field]) => (field === undefined ? [] : [name]))

const isSameError = (actual: unknown, expected: unknown): boolean =>
  actual instanceof Error &&
  expected instanceof Error &&
  actual.name === expected.name &&
  actual.message === expected.message

/** @param isPartial objects may have more fields than are expected; arrays never have more members */
const isEqual = (actual: unknown, expected: unknown, isPartial: boolean): boolean => {
  if (expected instanceof Pattern) return expected.matches(actual)
  if (Object.is(actual, expected)) return true
  if (!isObject(actual) || !isObject(expected)) return false
  if (actual instanceof Error || expected instanceof Error) return isSameError(actual, expected)
  if (ArrayBuffer.isView(actual) || ArrayBuffer.isView(expected)) {
    return actual instanceof Uint8Array && expected instanceof Uint8Array && Buffer.compare(actual, expected) === 0
  }
  if (Array.isArray(actual) || Array.isArray(expected)) {
    if (!Array.isArray(actual) || !Array.isArray(expected) || actual.length !== expected.length) return false
    return expected.every((member, index) => isEqual(actual[index], member, isPartial))
  }
  if (!isPartial && fieldsOf(actual).length !== fieldsOf(expected).length) return false
  const names = isPartial ? Object.keys(expected) : fieldsOf(expected)
  return names.every((name) => name in actual && isEqual(actual[name], expected[name], isPartial))
}

const show = (value: unknown): string => inspect(value, { depth: 6, maxArrayLength: 50, maxStringLength: 500 })

/** What can be asked of a value. */
interface Matchers {
  readonly toBe: (expected: unknown) => void
  /** Equal, all the way down. */
  readonly toEqual: (expected: unknown) => void
  /** Has at least these fields, and the same members where there is an array. */
  readonly toMatchObject: (expected: unknown) => void
  readonly toMatch: (expected: RegExp) => void
  readonly toBeNull: () => void
  readonly toBeUndefined: () => void
  readonly toBeDefined: () => void
  readonly toBeInstanceOf: (expected: abstract new (...args: never) => unknown) => void
  readonly toBeGreaterThan: (expected: number) => void
  readonly toBeLessThan: (expected: number) => void
  readonly toBeLessThanOrEqual: (expected: number) => void
  readonly toContain: (expected: unknown) => void
  readonly toContainEqual: (expected: unknown) => void
  readonly toHaveLength: (expected: number) => void
}

const createMatchers = (actual: unknown, hint: string | undefined, isNegated: boolean): Matchers => {
  const check = (holds: boolean, relation: string, expected?: unknown): void => {
    if (holds !== isNegated) return
    const rest = expected === undefined ? "" : ` ${show(expected)}`
    const message = `${hint === undefined ? "" : `${hint}: `}expected ${show(actual)} ${isNegated ? "not " : ""}${relation}${rest}`
    throw new AssertionError({ message, actual, expected, operator: relation })
  }
  const holds = (test: (value: number) => boolean): boolean => typeof actual === "number" && test(actual)
  const hasMember = (test: (member: unknown) => boolean): boolean => Array.isArray(actual) && actual.some(test)
  return {
    toBe: (expected) => check(Object.is(actual, expected), "to be", expected),
    toEqual: (expected) => check(isEqual(actual, expected, false), "to equal", expected),
    toMatchObject: (expected) => check(isEqual(actual, expected, true), "to have all of", expected),
    toMatch: (expected) => check(typeof actual === "string" && expected.test(actual), "to match", expected),
    toBeNull: () => check(actual === null, "to be null"),
    toBeUndefined: () => check(actual === undefined, "to be undefined"),
    toBeDefined: () => check(actual !== undefined, "to be defined"),
    toBeInstanceOf: (expected) => check(actual instanceof expected, "to be an instance of", expected),
    toBeGreaterThan: (expected) =>
      check(
        holds((value) => value > expected),
        "to be greater than",
        expected,
      ),
    toBeLessThan: (expected) =>
      check(
        holds((value) => value < expected),
        "to be less than",
        expected,
      ),
    toBeLessThanOrEqual: (expected) =>
      check(
        holds((value) => value <= expected),
        "to be at most",
        expected,
      ),
    toContain: (expected) =>
      check(
        typeof actual === "string" ? actual.includes(String(expected)) : hasMember((each) => Object.is(each, expected)),
        "to contain",
        expected,
      ),
    toContainEqual: (expected) =>
      check(
        hasMember((each) => isEqual(each, expected, false)),
        "to contain",
        expected,
      ),
    toHaveLength: (expected) =>
      check((actual as ArrayLike<unknown> | undefined)?.length === expected, "to have the length", expected),
  }
}

/**
 * Says what must hold of a value; throws an `AssertionError` of Node where it does not.
 *
 * The suites run under any test runner, so they bring their own: the part of Vitest's that they use, with the same meaning
 * (`test/conformance/expect.test.ts` compares the two).
 *
 * @param hint stands before the message
 */
export const expect = (actual: unknown, hint?: string): Matchers & { readonly not: Matchers } => ({
  ...createMatchers(actual, hint, false),
  not: createMatchers(actual, hint, true),
})

/** Any value that a constructor makes; `any(Number)` is any number. */
expect.any = (kind: NumberConstructor): Pattern => new Pattern(`any ${kind.name}`, (value) => typeof value === "number")

/** Any text that matches. */
expect.stringMatching = (expression: RegExp): Pattern =>
  new Pattern(String(expression), (value) => typeof value === "string" && expression.test(value))
