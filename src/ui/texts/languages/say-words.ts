import type { UploadItem } from "../../controller/upload-state.ts"
import type { LanguageFormats } from "./language-formats.ts"
import type { Counted } from "./language-words.ts"

type Several = { readonly one: string; readonly several: Counted; readonly all: string }

/** The words of one text: see `LanguageWords`. */
type Word = string | readonly [one: string, several: string] | Counted | Several

/** Texts that consist only of words: the form of the words determines the function. */
type Said<Words> = {
  readonly [Name in keyof Words]: Words[Name] extends string
    ? (name?: string) => string
    : Words[Name] extends readonly [string, string]
      ? (isMultiple: boolean) => string
      : Words[Name] extends Several
        ? (items: ReadonlyArray<UploadItem>) => string
        : (count: number) => string
}

/** Makes texts from words: from a sentence, from one for a file and one for several, from a phrase by number. */
export const sayWords = <Words extends Readonly<Record<keyof Words, Word>>>(
  words: Words,
  { count, fill, isolate }: LanguageFormats,
): Said<Words> => {
  const say = (word: Word): unknown => {
    if (typeof word === "string") return (name = "") => word.replace("#", () => isolate(name))
    if (Array.isArray(word)) return (isMultiple: boolean) => word[isMultiple ? 1 : 0]
    if ("several" in word)
      return (items: ReadonlyArray<UploadItem>) =>
        items.length === 0
          ? word.all
          : items.length === 1
            ? fill(word.one, { name: isolate(items[0]!.name) })
            : count(word.several, items.length)
    return (value: number) => count(word as Counted, value)
  }
  return Object.fromEntries(
    Object.entries(words as Record<string, Word>).map(([name, word]) => [name, say(word)]),
  ) as Said<Words>
}
