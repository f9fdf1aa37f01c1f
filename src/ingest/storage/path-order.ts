import { limits } from "../../protocol/limits.ts"

/*
 * Paths are listed in the order of their UTF-8, which is that of their code points: catalogs outside this process sort
 * by bytes, and a page must begin where the former one ended.
 */

/** A text that comes after all paths that begin with a prefix, and before or at all others that come after it. */
export const endOfPrefix = (prefix: string): string => {
  const points = Array.from(prefix, (character) => character.codePointAt(0)!)
  while (points.length > 0) {
    const last = points.pop()!
    // No text has a surrogate as a character.
    if (last < 0x10ffff) return String.fromCodePoint(...points, last === 0xd7ff ? 0xe000 : last + 1)
  }
  // Nothing comes after it: longer than any path that there is.
  return "\u{10ffff}".repeat(limits.storedPath)
}

/** Compares two texts by their code points. */
export const comparePaths = (a: string, b: string): number => {
  const [left, right] = [a[Symbol.iterator](), b[Symbol.iterator]()]
  for (;;) {
    const [x, y] = [left.next().value?.codePointAt(0) ?? -1, right.next().value?.codePointAt(0) ?? -1]
    if (x !== y || x === -1) return x - y
  }
}
