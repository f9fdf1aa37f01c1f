import type { AcceptedKind } from "../../files/accepted-files.ts"
import type { LanguageFormats } from "./language-formats.ts"
import type { LanguageWords, NounName } from "./language-words.ts"

type NamedKind = Pick<AcceptedKind, "kind" | "noun">

/** The nouns for kinds of files in a language. */
export interface KindPhrases {
  /** `images`. */
  readonly name: (kind: NamedKind) => string
  /** `3 images`; `shown` replaces the number. */
  readonly count: (kind: NamedKind, count: number, shown?: string) => string
  /** `up to 3 images`. */
  readonly limit: (kind: AcceptedKind) => string
}

/** Nouns, by the word that route handlers use for them. */
const nounNames: ReadonlyMap<string, NounName> = new Map<string, NounName>(
  Object.entries({
    file: "file",
    image: "image",
    video: "video",
    font: "font",
    document: "document",
    sheet: "sheet",
    presentation: "presentation",
    archive: "archive",
    "3D model": "model",
    "text file": "text",
    "binary file": "binary",
    "special file": "special",
    "special image": "image",
    "special video": "video",
    "special font": "special",
    "special 3D model": "special",
  } as const),
)

/** Which noun names a kind, and the short name of its type: `image/svg+xml` → `image`, `SVG`. */
const findNoun = ({ kind, noun: english }: NamedKind): readonly [noun: NounName, type?: string] => {
  // An answer may hold anything.
  if (typeof english !== "string") return [kind === "blob" || kind.includes("/") ? "file" : (kind as NounName)]
  const whole = nounNames.get(english)
  if (whole !== undefined) return [whole]
  const [type = "", ...noun] = english.split(" ")
  const known = nounNames.get(noun.join(" "))
  return known === undefined ? ["file", english] : [known, type]
}

/** The kinds of files in the words of a language. */
export const createKindPhrases = (words: LanguageWords, formats: LanguageFormats): KindPhrases => {
  const { kinds, typed, range, upTo } = words
  const join = (phrase: string, type: string | undefined) =>
    phrase.replace("~", () => (type === undefined ? "" : typed.replace("#", () => type)))
  const count: KindPhrases["count"] = (kind, value, shown) => {
    const [noun, type] = findNoun(kind)
    return join(formats.count(kinds[noun], value, shown), type)
  }
  return {
    name: (kind) => {
      const [noun, type] = findNoun(kind)
      return join(kinds[noun].name, type)
    },
    count,
    limit: (kind) => {
      const { minFileCount, maxFileCount } = kind
      if (maxFileCount === 1 || minFileCount === maxFileCount) return count(kind, maxFileCount)
      if (minFileCount <= 1) return formats.fill(upTo, { files: count(kind, maxFileCount) })
      const values = { min: formats.number(minFileCount), max: formats.number(maxFileCount) }
      return count(kind, maxFileCount, formats.fill(range, values))
    },
  }
}
