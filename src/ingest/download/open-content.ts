import type { Service } from "../service.ts"
import { toBlobName } from "../storage/blob-name.ts"
import type { FileRecord } from "../storage/catalog.ts"
import { createPieceStream } from "../storage/piece-stream.ts"
import { pieces } from "../storage/read-budget.ts"
import { fileNotFound } from "../refusals.ts"

/** There is no such file, or not any more. */
type Kept = Pick<Service, "catalog" | "store" | "readers">

/** Bytes from a position on, of a file the catalog keeps. Fails: rejects with `Rejected` NOT_FOUND, and as the catalog does. */
const readInline = async (
  { catalog }: Pick<Kept, "catalog">,
  { id }: FileRecord,
  position: number,
  length: number,
): Promise<Uint8Array<ArrayBuffer>> => {
  const content = await catalog.readContent(id)
  if (content === null) throw fileNotFound()
  const piece = content.subarray(position, position + length)
  // A part of it would keep all of it.
  return (piece.length === content.length ? piece : piece.slice()) as Uint8Array<ArrayBuffer>
}

/**
 * Bytes `start` to `end`, both included, from wherever they are kept, for one more reader. What costs less than its
 * connection does, is not counted.
 *
 * A file the catalog keeps is read from it again for each piece when there is no room for all of it: a reader that takes
 * nothing holds a piece, however large such files may be.
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
      : kept.store.read(toBlobName(file), { start, end }),
  )
}
