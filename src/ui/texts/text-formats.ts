import { byteUnits } from "../../protocol/byte-size.ts"

/** Forms of a phrase by plural category, `#` for the number: `{ one: "# file", other: "# files" }`. */
export type PluralForms = { readonly [category in Intl.LDMLPluralRule]?: string } & { readonly other: string }

/** Picks the right form for a number in a language: `createPlural("pl")({ one: "# plik", few: "# pliki", other: "# plików" }, 3)`. */
export const createPlural = (locale: string): ((forms: PluralForms, count: number) => string) => {
  const rules = new Intl.PluralRules(locale)
  const numbers = new Intl.NumberFormat(locale)
  return (forms, count) => (forms[rules.select(count)] ?? forms.other).replace("#", numbers.format(count))
}

/** @param write at most one digit after the point, as the language does */
export const createSizeWriter =
  (write: (value: number) => string, units: ReadonlyArray<string> = byteUnits): ((bytes: number) => string) =>
  (bytes) => {
    let value = bytes
    let unit = 0
    for (; value >= 1023.95 && unit < units.length - 1; unit++) value /= 1024
    return `${write(value)}\u00a0${units[unit]}`
  }

/**
 * Writes bytes for people of a language, in the binary units of the routes' configuration: 4,194,304 → `4 MB`.
 *
 * @param units from bytes upwards, for a language that has its own: `["o", "Ko", "Mo", "Go", "To"]`
 */
export const createSizeFormat = (locale: string, units?: ReadonlyArray<string>): ((bytes: number) => string) =>
  createSizeWriter(new Intl.NumberFormat(locale, { maximumFractionDigits: 1 }).format, units)
