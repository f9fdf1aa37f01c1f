import { type ReadBudget, readBudget } from "./read-budget.ts"

/** Where a {@link createPieceStream} takes its pieces from. */
export interface PieceSource {
  /** Reads at most `length` bytes from a position on, and at least one. The stream owns the result. */
  readonly read: (position: number, length: number) => Promise<Uint8Array>
  /** There is nothing more to read. Called once. */
  readonly close: () => Promise<void>
  /** Makes the error that the stream fails with. */
  readonly toError: (cause: unknown) => Error
  /** Frees the memory of a piece that was not passed on. */
  readonly dispose?: ((piece: Uint8Array) => void) | undefined
}

/**
 * Bytes `start` to `end`, both included, in pieces as large as the budget has room for. While one is on its way to the
 * client, the next one is read if there is room for two.
 *
 * The reader of the stream asks for a piece when the previous one was passed on, and for the end when the last one
 * was: until then a piece counts as held. The source is closed as soon as everything was read, and however the stream
 * ends.
 *
 * Fails: the first piece is read at once, and its failure rejects; later failures error the stream.
 */
export const createPieceStream = async (
  source: PieceSource,
  start: number,
  end: number,
  budget: ReadBudget = readBudget,
): Promise<ReadableStream<Uint8Array>> => {
  const share = budget.join()
  let position = start
  /** Room of the piece that the client is taking. */
  let passing = 0
  let passedAt = 0
  let next: { readonly room: number; readonly piece: Promise<Uint8Array> } | undefined
  let closed: Promise<void> | undefined
  let isOver = false

  const left = () => end + 1 - position
  const close = () => (closed ??= source.close())

  const read = async (room: number): Promise<Uint8Array> => {
    const piece = await source.read(position, Math.min(room, left()))
    position += piece.length
    return piece
  }

  const begin = (room: number): typeof next => {
    if (room === 0) return undefined
    const piece = read(room)
    // It is awaited when the stream asks for it; until then a failure must not count as unhandled.
    piece.catch(() => {})
    return { room, piece }
  }

  const finish = async (): Promise<void> => {
    isOver = true
    share.leave()
    await close()
  }

  try {
    next = begin(share.take(left()))
    // An empty range has no first piece.
    await next?.piece
    if (left() === 0) await close()
  } catch (cause) {
    await finish()
    throw source.toError(cause)
  }

  return new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        try {
          share.give(passing, performance.now() - passedAt)
          passing = 0
          if (next === undefined && left() === 0) {
            await finish()
            return controller.close()
          }
          const { room, piece } = next ?? begin(share.take(left()))!
          const bytes = await piece
          if (isOver) return
          passing = room
          next = left() > 0 ? begin(share.takeAhead(left())) : undefined
          if (left() === 0 && next === undefined) await close()
          passedAt = performance.now()
          controller.enqueue(bytes)
        } catch (cause) {
          await finish()
          controller.error(source.toError(cause))
        }
      },
      cancel: async () => {
        isOver = true
        const unused = await next?.piece.catch(() => undefined)
        if (unused !== undefined) source.dispose?.(unused)
        await finish()
      },
    },
    { highWaterMark: 0 },
  )
}
