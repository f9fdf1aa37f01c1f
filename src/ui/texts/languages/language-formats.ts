import { createSizeFormat } from "../text-formats.ts"
import type { Counted, LanguageWords } from "./language-words.ts"

/** How a language writes figures, lists and the values in a sentence. */
export interface LanguageFormats {
  /** The form of a phrase for a number; `shown` replaces the number. */
  readonly count: (phrase: Counted, value: number, shown?: string) => string
  /** Replaces `{names}` by values. */
  readonly fill: (sentence: string, values: Readonly<Record<string, string>>) => string
  /** Isolates a name, which may have another direction of text than the sentence. */
  readonly isolate: (name: string) => string
  readonly number: (value: number) => string
  readonly size: (bytes: number) => string
  /** `37 %`. */
  readonly percent: (percent: number) => string
  /** `37 percent`. */
  readonly spokenPercent: (percent: number) => string
  /** `2 min`, `2 minutes`. */
  readonly time: (value: number, unit: TimeUnit, display: "short" | "long") => string
  readonly list: (items: ReadonlyArray<string>, type?: "conjunction" | "disjunction") => string
  readonly capitalize: (text: string) => string
}

/** The units of times. */
export type TimeUnit = "second" | "minute" | "hour"

const rtl = /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF]/

/** Left-to-right mark: figures and their units stay in the order in which they are read. */
const mark = "\u200E"

/** How the language of some words formats numbers and the like. */
export const createLanguageFormats = ({ locale, isRtl = false, units }: LanguageWords): LanguageFormats => {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  const percents = new Intl.NumberFormat(locale, { style: "percent" })
  const sizes = createSizeFormat(locale, units)
  // Letters of the other direction behind a figure would stand before it. Isolated, because a mark would be the first letter
  // of a line that takes its direction from that.
  const isForeign = isRtl && !rtl.test(units.join(""))
  const withUnit = (value: number, unit: string, unitDisplay: "short" | "long") =>
    new Intl.NumberFormat(locale, { style: "unit", unit, unitDisplay }).format(value)
  return {
    count: (phrase, value, shown = numbers.format(value)) => {
      const form = phrase.always === undefined ? (phrase[rules.select(value)] ?? phrase.other) : phrase.always
      return form.replace("#", () => shown)
    },
    fill: (sentence, values) => sentence.replace(/\{(\w+)\}/g, (_, name: string) => values[name]!),
    isolate: (name) => (isRtl || rtl.test(name) ? `\u2068${name}\u2069` : name),
    number: numbers.format,
    size: (bytes) => (isForeign ? `\u2066${sizes(bytes)}\u2069` : sizes(bytes)),
    // What ICU puts around the sign of percent would part it from its figure, and with it from what screen readers skip.
    percent: (percent) => (isRtl ? mark : "") + percents.format(percent / 100).replaceAll(mark, ""),
    spokenPercent: (percent) => withUnit(percent, "percent", "long"),
    time: withUnit,
    list: (items, type = "conjunction") => new Intl.ListFormat(locale, { type }).format(items),
    capitalize: (text) => text.charAt(0).toLocaleUpperCase(locale) + text.slice(1),
  }
}
