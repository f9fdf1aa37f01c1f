import * as Schema from "effect/Schema"

/**
 * A text that a function of the protocol judges.
 *
 * @param findMistake what is wrong with the text, worded as what was expected; undefined where nothing is
 * @param jsonSchema  what a JSON Schema can say of it: it counts characters, where a limit is in bytes
 */
export const checkedText = (
  findMistake: (text: string) => string | undefined,
  jsonSchema: { readonly [keyword: string]: string | number },
  description: string,
): Schema.Codec<string> =>
  Schema.String.check(
    Schema.makeFilter(
      (text: string) => {
        const mistake = findMistake(text)
        return mistake === undefined || `Expected ${mistake}`
      },
      { toJsonSchema: () => [jsonSchema, true], description },
    ),
  )
