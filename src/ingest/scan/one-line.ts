/** Control characters and the like, but for those that join letters in Persian or emoji. */
const unshown = /(?:(?![\u200c\u200d])[\p{C}\u2028\u2029])+/gu

/** Text of a stranger that may be shown and logged: on one line, and at most `longest` characters long. */
export const toOneLine = (text: string, longest: number): string => {
  const shown = text.toWellFormed().replace(unshown, " ").trim()
  // Half of a pair of surrogates is no character.
  return shown.length <= longest ? shown : `${shown.slice(0, longest - 1).replace(/[\ud800-\udbff]$/, "")}…`
}
