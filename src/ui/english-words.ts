import { parseByteSize } from "../protocol/byte-size.ts"
import type { AcceptedKind } from "./accepted-files.ts"
import { createPlural, type PluralForms } from "./text-formats.ts"
import { toTypeNoun } from "./type-nouns.ts"
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

/** `image/svg+xml` → `# SVG image`, `# SVG images`. */
export const toNoun = (kind: string): PluralForms =>
  nouns[kind] ?? { one: `# ${toTypeNoun(kind)}`, other: `# ${toTypeNoun(kind)}s` }

export const toLimit = (texts: UploadTexts, maxFileSize: string): string => {
  const bytes = parseByteSize(maxFileSize)
  return bytes.ok ? texts.size(bytes.value) : maxFileSize
}

export const countKind = ({ kind, minFileCount, maxFileCount }: AcceptedKind): string => {
  const most = plural(toNoun(kind), maxFileCount)
  if (maxFileCount === 1) return most
  return minFileCount === maxFileCount ? most : minFileCount > 1 ? `${minFileCount} to ${most}` : `up to ${most}`
}

export const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)
