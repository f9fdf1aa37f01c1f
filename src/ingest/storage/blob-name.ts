import type { FileRecord } from "./catalog.ts"

/**
 * What a file's blob is called in the store: its key and its id.
 *
 * A key can come back for another file (a route with its own key seeds); an id cannot, so bytes of one never end up in
 * the other, whatever crashes in between.
 */
export const toBlobName = ({ key, id }: Pick<FileRecord, "key" | "id">): string => `${key}.${id}`
