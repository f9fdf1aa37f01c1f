import type { FileHandle } from "node:fs/promises"
import { markDisposable } from "../../protocol/disposable-stream.ts"
import { BlobStoreError } from "./blob-store.ts"

/** Up to here a read is one piece; beyond, pieces of {@link pieceSize}. */
const onePiece = 64 * 1024
const pieceSize = 1024 * 1024

/**
 * Bytes `start` to `end`, both included, of an open file, which is closed however the stream ends. While one piece is on its
 * way the next one is read.
 *
 * Fails: rejects, or the stream errors, with what `toError` makes of it.
 */
export const readRange = async (
  handle: FileHandle,
  start: number,
  end: number,
  toError: (cause: unknown) => BlobStoreError,
): Promise<ReadableStream<Uint8Array>> => {
  let position = start

  const read = async (): Promise<Uint8Array> => {
    const left = end + 1 - position
    const piece = Buffer.allocUnsafeSlow(left <= onePiece ? left : Math.min(left, pieceSize))
    const { bytesRead } = await handle.read(piece, 0, piece.length, position)
    if (bytesRead === 0) throw new BlobStoreError("missing", `The blob ends at ${position}, before ${end}.`)
    position += bytesRead
    return bytesRead === piece.length ? piece : piece.subarray(0, bytesRead)
  }

  try {
    if (end + 1 - start <= onePiece) {
      const pieces: Array<Uint8Array> = []
      for (let left = end + 1 - start; left > 0; left -= pieces.at(-1)!.length) pieces.push(await read())
      await handle.close()
      return new ReadableStream({
        start: (controller) => {
          for (const piece of pieces) controller.enqueue(piece)
          controller.close()
        },
      })
    }
    if ((await handle.stat()).size <= end) throw new BlobStoreError("missing", "There are no such bytes.")
  } catch (cause) {
    await handle.close()
    throw toError(cause)
  }

  let next: Promise<Uint8Array> | undefined
  const stream = new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          const piece = await (next ?? read())
          next = position <= end ? read() : undefined
          next?.catch(() => {})
          controller.enqueue(piece)
          if (next !== undefined) return
          await handle.close()
          controller.close()
        } catch (cause) {
          await handle.close()
          controller.error(toError(cause))
        }
      },
      cancel: async () => {
        await next?.catch(() => {})
        await handle.close()
      },
    },
    { highWaterMark: 0 },
  )
  return markDisposable(stream)
}
