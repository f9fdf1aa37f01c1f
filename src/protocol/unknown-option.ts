/** How many letters to add, leave out or replace to turn one word into the other, ignoring case. */
const distance = (a: string, b: string): number => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j)
  for (let i = 0; i < a.length; i++) {
    const next = [i + 1]
    for (let j = 0; j < b.length; j++) {
      const replaced = row[j]! + (a[i] === b[j] ? 0 : 1)
      next.push(Math.min(replaced, row[j + 1]! + 1, next[j]! + 1))
    }
    row = next
  }
  return row[b.length]!
}

/** The known name that a name was probably meant to be, ignoring case; undefined where none is similar. */
export const findNearest = (name: string, known: ReadonlyArray<string>): string | undefined => {
  const to = (other: string) => distance(name.toLowerCase(), other.toLowerCase())
  const [nearest = ""] = known.toSorted((a, b) => to(a) - to(b))
  return to(nearest) <= name.length / 2 ? nearest : undefined
}

/**
 * Reports the first unknown option, and which option was probably meant: an option that has no effect looks as if it
 * had one. An option that is undefined is ignored. No values are read.
 *
 * @param toPlace for an option that belongs elsewhere, says where
 */
export const findUnknownOption = (
  options: object,
  known: ReadonlyArray<string>,
  toPlace?: (name: string) => string | undefined,
): string | undefined => {
  const name = Object.keys(options).find(
    (key) => !known.includes(key) && (options as Readonly<Record<string, unknown>>)[key] !== undefined,
  )
  if (name === undefined) return undefined
  const nearest = findNearest(name, known)
  const hint =
    toPlace?.(name) ?? (nearest === undefined ? `The options are ${known.join(", ")}` : `The nearest is ${nearest}`)
  return `there is no option ${JSON.stringify(name)}. ${hint}.`
}
