import type { Catalog } from "../storage/catalog/catalog.ts"
import type { Readers } from "./readers.ts"

/** Between two looks, ms. */
const pause = 4000

/** Keys that one look reads. Where more files are read, the looks take turns. */
const mostKeys = 1000

/**
 * Makes the function that aborts downloads of files that are there no more: another process has deleted or rejected them, which
 * tells nobody here. Call it as often as you like; a look is made every few seconds, and none where nobody reads.
 */
export const createReaderWatch = (
  getParts: () => { readonly catalog: Pick<Catalog, "getMany">; readonly readers: Pick<Readers, "keys" | "stop"> },
): (() => Promise<void>) => {
  let lastAt = -Infinity
  let first = 0
  return async () => {
    const { catalog, readers } = getParts()
    const all = readers.keys()
    if (all.length === 0 || performance.now() - lastAt < pause) return
    lastAt = performance.now()
    if (first >= all.length) first = 0
    const keys = all.slice(first, (first += mostKeys))
    // A catalog that fails is counted and reported where it is wrapped; the next look may find it working.
    const uploads = await catalog.getMany(keys).catch(() => undefined)
    if (uploads === undefined) return
    const stored = new Set(uploads.flatMap(({ file }) => (file.status === "Uploaded" ? [file.key] : [])))
    for (const key of keys) if (!stored.has(key)) readers.stop(key)
  }
}
