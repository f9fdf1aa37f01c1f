/** Marks that only lean the order of a text; systems and chat programs leave them in honest names. */
const marks = /[\u061C\u200E\u200F]/g

/** What reverses the text around it (`invoice\u202Efdp.exe` reads `invoiceexe.pdf`), breaks a line, or cannot be seen. */
const disguises = /[\p{Cc}\p{Bidi_C}\u2028\u2029]/gu

/** A file's name or path as it may be shown and said: nothing in it can make it read as another one. */
export const toShownName = (name: string): string => name.replace(marks, "").replace(disguises, "\uFFFD") || "\uFFFD"
