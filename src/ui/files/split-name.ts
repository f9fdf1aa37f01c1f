/**
 * The end of a name that stays when there is no room: its last words and the extension, after what separates them from the
 * others; a longer last word alone, as far as a narrow row has room for it; otherwise a few characters. A mark is never
 * separated from its letter.
 */
const tails = [
  /[\s_\-–—](?![\p{M}\u200D]).{3,9}(?:\.[^.\s]{1,9})?$/su,
  /[\s_\-–—](?![\p{M}\u200D])[^\s_\-–—]{10,16}(?:\.[^.\s]{1,9})?$/u,
  /(?![\p{M}\u200D]).{6,8}(?:\.[^.\s]{1,9})?$/su,
]

/** Splits a name where it may be shortened: `["holiday in Italy ", "(copy).jpg"]`; a short one stays in one piece. */
export const splitName = (name: string): readonly [stem: string, tail?: string] => {
  const [words, word, few] = tails.map((tail) => tail.exec(name)?.index ?? -1)
  const at = words! > 0 ? words! + 1 : word! > 0 ? word! + 1 : few!
  return at < 1 || name.length <= 16 ? [name] : [name.slice(0, at), name.slice(at)]
}
