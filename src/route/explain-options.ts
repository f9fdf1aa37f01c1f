/** Characters of a value that are shown. */
const longest = 200

/** A value for the log: what stands before an `@` can be a URL's user and password, which are nobody's to read there. */
const show = (value: unknown): string =>
  (JSON.stringify(value) ?? String(value)).replace(/^("[a-z]+:\/\/|"?).*@/is, "$1…@").slice(0, longest)

/**
 * What is wrong with the options, with the values that are and where they come from, for whoever has to mend them.
 *
 * Imports nothing: what a module loaded on demand shares with the handler, bundlers cut out of that as a chunk of its own.
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
