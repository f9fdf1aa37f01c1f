/**
 * Untrusted text, made safe for a terminal: characters that would move the cursor, start an escape sequence, end a
 * line or change the direction of text are shown as escapes.
 */
export const toPrintable = (text: string): string =>
  text.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    if (character === "\n") return "\\n"
    if (character === "\t") return "\\t"
    return `\\u{${character.codePointAt(0)!.toString(16)}}`
  })

/** The same, cut to this many characters. */
export const toShortPrintable = (text: string, length: number): string => {
  const characters = [...toPrintable(text)]
  return characters.length <= length ? characters.join("") : `${characters.slice(0, length - 1).join("")}…`
}
