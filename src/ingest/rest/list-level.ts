import type { CatalogHistory } from "../storage/catalog/history.ts"
import type { FileRecord } from "../storage/catalog/records.ts"

/** Where a page ends: behind this file, or behind all that is below a folder. */
type Place = { readonly path: string; readonly id: number }

/** One page of a level of the paths: what is right in it, and the folders there. */
export interface Level {
  readonly files: ReadonlyArray<FileRecord>
  /** Each with the slash at its end, in the order of the paths among the files. */
  readonly folders: ReadonlyArray<string>
  /** Null after the last page. */
  readonly end: Place | null
}

type Listing = Omit<Parameters<CatalogHistory["listByPath"]>[0], "after" | "limit">

/** In the order of the paths the character "0" comes right after the slash. */
const behind = (folder: string): Place => ({ path: `${folder.slice(0, -1)}0`, id: 0 })

/** Folders between which others are served. */
const stride = 50

/**
 * Lists what is right in a folder. However much is below a folder in it, a look-up or two skip it: the cost grows with what is on
 * the page.
 */
export const listLevel = async (
  { listByPath }: Pick<CatalogHistory, "listByPath">,
  listing: Listing,
  after: Place | undefined,
  limit: number,
): Promise<Level> => {
  const files: Array<FileRecord> = []
  const folders: Array<string> = []
  let end = after
  /** Files that are asked for at once: few where folders follow each other, since what else is in them is not needed. */
  let batch = 2
  for (;;) {
    const room = limit - files.length - folders.length
    const asked = Math.min(batch, room + 1)
    const found = await listByPath({ ...listing, after: end, limit: asked })
    let folder: string | undefined
    for (const file of found) {
      if (files.length + folders.length === limit) return { files, folders, end: end ?? null }
      const path = file.path!
      const slash = path.indexOf("/", listing.prefix.length)
      folder = slash < 0 ? undefined : path.slice(0, slash + 1)
      if (folder !== undefined) break
      files.push(file)
      end = { path, id: file.id }
    }
    if (folder === undefined) {
      if (found.length < asked) return { files, folders, end: null }
      batch = Math.min(batch * 4, 500)
    } else {
      folders.push(folder)
      end = behind(folder)
      batch = 2
      // A catalog in this process answers without waiting for anything.
      if (folders.length % stride === 0) await new Promise((resolve) => setImmediate(resolve))
    }
  }
}
