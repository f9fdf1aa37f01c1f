/** Marks that only influence the direction of text; systems and chat programs leave them in harmless names. */
const marks = /[\u061C\u200E\u200F]/g

/** Characters that reverse the text around them (`invoice\u202Efdp.exe` reads `invoiceexe.pdf`), break a line, or are invisible. */
const disguises = /[\p{Cc}\p{Bidi_C}\u2028\u2029]/gu

/** A file's name or path, safe to show and announce: nothing in it can make it read as another one. */
export const toShownName = (name: string): string => name.replace(marks, "").replace(disguises, "\uFFFD") || "\uFFFD"
