import type { FileHandle } from "node:fs/promises"
import { disposeChunk, markDisposable } from "../../../protocol/disposable-stream.ts"
import { BlobStoreError } from "../blob-store.ts"
import { toNoFile } from "./open-file.ts"
import { createPieceStream } from "../piece-stream.ts"
import { pieces } from "../read-budget.ts"

/**
 * Bytes `start` to `end`, both included, of an open file, which is closed as soon as they are read, and however the
 * stream ends. The budget shared by all readers decides how much of it is in memory.
 *
 * Fails: rejects, or the stream errors, with the result of `toError`.
 */
export const readRange = async (
  handle: FileHandle,
  start: number,
  end: number,
  toError: (cause: unknown) => BlobStoreError,
): Promise<ReadableStream<Uint8Array>> => {
  const read = async (position: number, length: number): Promise<Uint8Array> => {
    const piece = Buffer.allocUnsafeSlow(length)
    const { bytesRead } = await handle.read(piece, 0, length, position)
    if (bytesRead === 0) throw new BlobStoreError("missing", `The blob ends at ${position}, before ${end}.`)
    return bytesRead === length ? piece : piece.subarray(0, bytesRead)
  }

  // A range this small is always read at once.
  if (end + 1 - start > pieces.smallest) {
    try {
      const found = await handle.stat()
      if (!found.isFile()) throw toNoFile("The blob")
      if (found.size <= end) throw new BlobStoreError("missing", "There are no such bytes.")
    } catch (cause) {
      await handle.close()
      throw toError(cause)
    }
  }
  const source = { read, close: () => handle.close(), toError, dispose: disposeChunk }
  return markDisposable(await createPieceStream(source, start, end))
}
