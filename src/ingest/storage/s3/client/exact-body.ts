import type { Watch } from "./watch.ts"

/**
 * A body of exactly `length` bytes, read no faster than its reader takes it. What moves is watched while the reader waits.
 *
 * Fails: the stream errors with the result of `toError` where the bytes stop coming, break off, or are more.
 */
export const toExactBody = (
  source: ReadableStream<Uint8Array>,
  length: number,
  watch: Watch,
  toError: (cause: unknown) => unknown,
): ReadableStream<Uint8Array> => {
  const reader = source.getReader()
  let left = length

  const readNext = async (): Promise<Uint8Array | undefined> => {
    watch.touch()
    const { done, value } = await reader.read()
    watch.rest()
    if (done) return undefined
    left -= value.length
    if (left < 0) throw new Error(`more than the announced ${length} bytes came`)
    return value
  }

  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>): Promise<void> => {
    try {
      const piece = await readNext()
      if (piece === undefined && left > 0) throw new Error(`${left} of ${length} bytes did not come`)
      if (piece !== undefined) controller.enqueue(piece)
      // The connection is free again with the last piece, also where the reader asks for nothing after it.
      if (piece !== undefined && left > 0) return
      if (piece !== undefined) await readNext()
      watch.end()
      controller.close()
    } catch (cause) {
      watch.end()
      controller.error(toError(cause))
      await reader.cancel(cause).catch(() => {})
    }
  }

  const cancel = (reason: unknown): Promise<void> => {
    watch.end()
    return reader.cancel(reason)
  }
  return new ReadableStream({ pull, cancel }, { highWaterMark: 0 })
}
