import { type ByteSize, toBytes } from "../protocol/byte-size.ts"
import type { AcceptedKind } from "./accepted-files.ts"
import { createSizeWriter, type PluralForms } from "./text-formats.ts"

/**
 * `1,234.5`, with one digit after the point at most. English is written without `Intl`: the first number that a page
 * formats has the browser read the data of all locales, 4 MB in Chromium.
 */
export const writeNumber = (value: number): string => {
  const [whole = "", digit] = String(Math.round(value * 10) / 10).split(".")
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",")
  return digit === undefined ? grouped : `${grouped}.${digit}`
}

/** `1 file`, `2 files`. */
export const plural = (forms: PluralForms, count: number): string =>
  ((count === 1 ? forms.one : undefined) ?? forms.other).replace("#", writeNumber(count))

/** `a`, `a and b`, `a, b, and c`. */
export const list = (items: ReadonlyArray<string>, word = "and"): string =>
  items.length < 3 ? items.join(` ${word} `) : `${items.slice(0, -1).join(", ")}, ${word} ${items.at(-1)}`

/** `4.1 MB` of bytes. */
export const writeSize = createSizeWriter(writeNumber)

const nouns: Readonly<Record<string, PluralForms>> = {
  image: { one: "# image", other: "# images" },
  video: { one: "# video", other: "# videos" },
  audio: { one: "# audio file", other: "# audio files" },
  pdf: { one: "# PDF", other: "# PDFs" },
  text: { one: "# text file", other: "# text files" },
  blob: { one: "# file", other: "# files" },
}

/** What files of a kind are called: `# image`, `# images`. */
export const toNoun = ({ kind, noun }: Pick<AcceptedKind, "kind" | "noun">): PluralForms =>
  noun === undefined ? (nouns[kind] ?? nouns["blob"]!) : { one: `# ${noun}`, other: `# ${noun}s` }

export const toLimit = (texts: { readonly size: (bytes: number) => string }, maxFileSize: ByteSize): string =>
  texts.size(toBytes(maxFileSize))

export const countKind = (kind: AcceptedKind): string => {
  const { minFileCount, maxFileCount } = kind
  const most = plural(toNoun(kind), maxFileCount)
  if (maxFileCount === 1) return most
  return minFileCount === maxFileCount ? most : minFileCount > 1 ? `${minFileCount} to ${most}` : `up to ${most}`
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
