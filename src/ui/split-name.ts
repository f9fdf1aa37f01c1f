/**
 * The end of a name that stays when there is no room: a few characters and the extension. A mark is never separated
 * from its letter.
 */
const tail = /(?![\p{M}\u200D]).{6,8}(?:\.[^.\s]{1,9})?$/su

/** Splits a name where it may be shortened: `["holiday in Ital", "y (copy).jpg"]`; a short one stays in one piece. */
export const splitName = (name: string): readonly [stem: string, tail?: string] => {
  const at = tail.exec(name)?.index ?? 0
  return at === 0 || name.length <= 16 ? [name] : [name.slice(0, at), name.slice(at)]
}
