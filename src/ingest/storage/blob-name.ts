import type { FileRecord } from "./catalog/catalog.ts"

/**
 * The name of a file's blob in the store: the file's key and id.
 *
 * A key can be used again for another file (a route with its own key seeds); an id cannot, so bytes of one file never
 * end up in another, whatever crashes in between.
 */
export const toBlobName = ({ key, id }: Pick<FileRecord, "key" | "id">): string => `${key}.${id}`

/** The file that a blob of this name is of; undefined for a name that no file's blob has. */
export const readBlobName = (name: string): Pick<FileRecord, "key" | "id"> | undefined => {
  const [, key, id] = /^(.+)\.(\d{1,15})$/s.exec(name) ?? []
  return key === undefined ? undefined : { key, id: Number(id) }
}
