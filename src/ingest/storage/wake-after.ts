import type { Catalog } from "./catalog/catalog.ts"

/** The methods of a catalog by which something may become of a file. */
const changing = [
  "begin",
  "commit",
  "commitWhole",
  "fail",
  "register",
  "claimFiles",
  "judgeHeld",
  "deleteFiles",
  "deleteMatching",
  "continueDeletions",
  "deleteOverdue",
  "expire",
] as const satisfies ReadonlyArray<keyof Catalog>

/** Wraps a catalog so that `wake` is called after each method by which something may become of a file. */
export const wakeAfterChanges = (catalog: Catalog, wake: () => void): Catalog => {
  const wrap =
    <Args extends ReadonlyArray<unknown>, A>(method: (...args: Args) => Promise<A>) =>
    async (...args: Args): Promise<A> => {
      const result = await method(...args)
      wake()
      return result
    }
  const wrapped = Object.fromEntries(changing.map((name) => [name, wrap(catalog[name] as () => Promise<unknown>)]))
  return { ...catalog, ...wrapped }
}
