import type { Service } from "../service.ts"
import { toBlobName } from "../storage/blob-name.ts"
import type { FileRecord } from "../storage/catalog/catalog.ts"
import { BlobStoreError } from "../storage/blob-store.ts"
import { createPieceStream } from "../storage/piece-stream.ts"
import { pieces } from "../storage/read-budget.ts"
import { fileNotFound } from "../refusals.ts"

/** The error for a file that does not exist, or no longer does. */
type Kept = Pick<Service, "catalog" | "store" | "readers">

/**
 * Reads bytes from a position on of a file that is in the catalog. Fails: rejects with `Rejected` NOT_FOUND, and as the
 * catalog does.
 */
const readInline = async (
  { catalog }: Pick<Kept, "catalog">,
  { id }: FileRecord,
  position: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> => {
  const content = await catalog.readContent(id)
  if (content === null) throw fileNotFound()
  const piece = content.subarray(position, position + length)
  // A view of a part would keep the whole in memory.
  return (piece.length === content.length ? piece : piece.slice()) as Uint8Array<ArrayBuffer>
}

/**
 * Reads bytes of a file that is in the store. It may have been deleted since it was looked up, and its bytes be gone.
 *
 * Fails: rejects with `Rejected` NOT_FOUND, and as store and catalog do.
 */
const readStored = async (
  { catalog, store }: Pick<Kept, "catalog" | "store">,
  file: FileRecord,
  start: number,
  end: number,
): Promise<ReadableStream<Uint8Array>> => {
  try {
    return await store.read(toBlobName(file), { start, end, ref: file.blobRef })
  } catch (cause) {
    if (!BlobStoreError.is(cause) || cause.reason !== "missing") throw cause
    const current = (await catalog.get(file.key))?.file
    if (current?.id === file.id && current.status === file.status) {
      throw new BlobStoreError(
        "missing",
        `The bytes of ${file.key} are gone from the store, though the catalog has the file. sluice files verify finds all such files.`,
        cause,
      )
    }
    throw fileNotFound()
  }
}

/**
 * Opens bytes `start` to `end`, both included, wherever they are kept, for one more reader. A read that costs less
 * than its connection is not counted.
 *
 * When there is no room for all of it, a file in the catalog is read again for each piece: a reader that takes nothing
 * holds only one piece, however large such files may be.
 *
 * Fails: rejects with `Rejected` NOT_FOUND, RATE_LIMITED, and as the store and the catalog do.
 */
export const openContent = (
  kept: Kept,
  file: FileRecord,
  start: number,
  end: number,
): Promise<Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>> => {
  const length = end + 1 - start
  if (file.isInline && length <= pieces.smallest) return readInline(kept, file, start, length)
  return kept.readers.add(file, () =>
    file.isInline
      ? createPieceStream(
          {
            read: (position, room) => readInline(kept, file, position, room),
            toError: (cause) => cause as Error,
            close: async () => {},
          },
          start,
          end,
        )
      : readStored(kept, file, start, end),
  )
}
