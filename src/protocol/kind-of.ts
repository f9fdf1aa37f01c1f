/** What a value is, for the message of an error that refuses it: `a function`, `a list`, `a Set`, `NaN`, `null`. */
export const kindOf = (value: unknown): string => {
  if (value === null || value === undefined) return String(value)
  if (typeof value === "number" && !Number.isFinite(value)) return String(value)
  if (typeof value !== "object") return `a ${typeof value}`
  if (Array.isArray(value)) return "a list"
  const name = Object.prototype.toString.call(value).slice("[object ".length, -1)
  return name === "Object" ? "an object" : `${/^[aeiou]/i.test(name) ? "an" : "a"} ${name}`
}

/**
 * Whether a value holds members by their names. Functions, lists, a Set, a Map, FormData, a Date and a promise that nobody
 * awaited do not: each member that is asked of them is undefined, as if it had been left out.
 */
export const isRecord = (value: unknown): value is object => kindOf(value) === "an object"
