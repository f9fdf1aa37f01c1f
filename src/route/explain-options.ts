/** Characters of a value that are shown. */
const longest = 200

/** A value for the log. The part before an `@`, which can be a URL's user and password, is hidden. */
const show = (value: unknown): string =>
  (JSON.stringify(value) ?? String(value)).replace(/^("[a-z]+:\/\/|"?).*@/is, "$1…@").slice(0, longest)

/**
 * Explains what is wrong with the options to the person who has to fix them, with their values and where those come
 * from.
 *
 * Imports nothing: bundlers would cut what a module loaded on demand shares with the handler out of it into a chunk of
 * its own.
 */
export const explainOptions = (
  detail: string,
  options: object,
  env: Readonly<Record<string, string | undefined>>,
  envName: (option: string) => string,
): string => {
  const named = [...new Set(detail.match(/\b\w+(?=: )/g))].flatMap((name) => {
    const option: unknown = options[name as never]
    const value = option ?? env[envName(name)]
    if (value === undefined || name === "token") return []
    return [`${option === undefined ? envName(name) : `The option \`${name}\``} is ${show(value)}.`]
  })
  return [detail, ...named].join(" ")
}
