import { type ByteSize, toBytes } from "../../protocol/byte-size.ts"
import type { AcceptedKind } from "../files/accepted-files.ts"
import { createSizeWriter, type PluralForms } from "./text-formats.ts"

/**
 * `1,234.5`, with one digit after the point at most. English is written without `Intl`: the first number that a page
 * formats has the browser read the data of all locales, 4 MB in Chromium.
 */
export const writeNumber = (value: number): string =>
  String(Math.round(value * 10) / 10).replace(/\B(?=(\d{3})+(?!\d))/g, ",")

/** `1 file`, `2 files`. */
export const plural = (forms: PluralForms, count: number): string =>
  ((count === 1 && forms.one) || forms.other).replace("#", writeNumber(count))

/** `a`, `a and b`, `a, b, and c`. */
export const list = (items: ReadonlyArray<string>, word = "and"): string =>
  items.length < 3 ? items.join(` ${word} `) : `${items.slice(0, -1).join(", ")}, ${word} ${items.at(-1)}`

/** `4.1 MB` of bytes. */
export const writeSize = createSizeWriter(writeNumber)

const nouns: Readonly<Record<string, string>> = {
  image: "image",
  video: "video",
  audio: "audio file",
  pdf: "PDF",
  text: "text file",
}

/** The noun for files of a kind: `# image`, `# images`. */
export const toNoun = ({ kind, noun = nouns[kind] ?? "file" }: Pick<AcceptedKind, "kind" | "noun">): PluralForms => ({
  one: `# ${noun}`,
  other: `# ${noun}s`,
})

export const toLimit = (texts: { readonly size: (bytes: number) => string }, maxFileSize: ByteSize): string =>
  texts.size(toBytes(maxFileSize))

export const countKind = (kind: AcceptedKind): string => {
  const { minFileCount, maxFileCount } = kind
  const most = plural(toNoun(kind), maxFileCount)
  if (maxFileCount === 1) return most
  return minFileCount === maxFileCount ? most : minFileCount > 1 ? `${minFileCount} to ${most}` : `up to ${most}`
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
