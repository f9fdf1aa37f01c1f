/** The plural forms that French, Spanish, Portuguese and Italian have. */
export type RomanceCategory = "one" | "many" | "other"

type Forms = Readonly<Record<RomanceCategory, string>>

/** Forms in which no noun follows the number: `1 importé`, `2 importés`. */
export const agree = (one: string, other: string): Forms => ({ one, many: other, other })

/** Forms of a phrase with a noun after the number; after a million the noun takes a preposition: `1 000 000 de fichiers`. */
export const createForms =
  (preposition: string) =>
  (one: string, other: string): Forms => ({ one, many: other.replace("# ", `# ${preposition} `), other })

/** A noun and its forms. */
export const createNoun = (preposition: string) => {
  const forms = createForms(preposition)
  return (one: string, name: string) => ({ name, ...forms(`# ${one}`, `# ${name}`) })
}
