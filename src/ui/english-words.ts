import { type ByteSize, toBytes } from "../protocol/byte-size.ts"
import type { AcceptedKind } from "./accepted-files.ts"
import { createPlural, type PluralForms } from "./text-formats.ts"
import type { UploadTexts } from "./upload-texts.ts"

export const plural = createPlural("en")
export const list = new Intl.ListFormat("en")

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

export const toLimit = (texts: UploadTexts, maxFileSize: ByteSize): string => texts.size(toBytes(maxFileSize))

export const countKind = (kind: AcceptedKind): string => {
  const { minFileCount, maxFileCount } = kind
  const most = plural(toNoun(kind), maxFileCount)
  if (maxFileCount === 1) return most
  return minFileCount === maxFileCount ? most : minFileCount > 1 ? `${minFileCount} to ${most}` : `up to ${most}`
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
