import { toBlobName } from "../storage/blob-name.ts"
import { type BlobStore, BlobStoreError } from "../storage/blob-store.ts"
import type { Catalog, FileRecord } from "../storage/catalog/catalog.ts"

/**
 * The bytes of a stored file, all of them and no others, wherever they are kept.
 *
 * Fails: rejects as the store and the catalog do; `missing` where there are not as many bytes as were uploaded.
 */
export async function* readHeld(
  { store, catalog }: { readonly store: Pick<BlobStore, "read">; readonly catalog: Pick<Catalog, "readContent"> },
  file: Pick<FileRecord, "id" | "key" | "size" | "isInline" | "blobRef">,
): AsyncGenerator<Uint8Array, void, void> {
  let size = 0
  if (file.isInline) {
    const bytes = await catalog.readContent(file.id)
    if (bytes !== null) yield bytes
    size = bytes?.length ?? 0
  } else if (file.size > 0) {
    for await (const chunk of await store.read(toBlobName(file), { start: 0, end: file.size - 1, ref: file.blobRef })) {
      size += chunk.length
      yield chunk
    }
  }
  if (size !== file.size) throw new BlobStoreError("missing", `There are ${size} bytes of ${file.size}.`)
}
