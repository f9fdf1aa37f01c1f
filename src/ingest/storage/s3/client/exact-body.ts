import type { Watch } from "./watch.ts"

/** Bytes a second below which an object is not on its way any more: one that drips would hold its reader for ever. */
const slowest = 16 * 1024

/**
 * A body of exactly `length` bytes, read no faster than its reader takes it. What moves is watched while the reader waits.
 *
 * Fails: the stream errors with the result of `toError` where the bytes stop coming, break off, or are more, and
 *         where they come slower than 16 KiB a second while their reader waits, once that took longer than `patience` ms.
 */
export const toExactBody = (
  source: ReadableStream<Uint8Array>,
  length: number,
  watch: Watch,
  patience: number,
  toError: (cause: unknown) => unknown,
): ReadableStream<Uint8Array> => {
  const reader = source.getReader()
  let left = length
  /** How long the reader has waited, ms. */
  let waited = 0

  const readNext = async (): Promise<Uint8Array | undefined> => {
    watch.touch()
    const startedAt = performance.now()
    const { done, value } = await reader.read()
    waited += performance.now() - startedAt
    watch.rest()
    if (done) return undefined
    left -= value.length
    if (left > 0 && waited > patience && length - left < (slowest * waited) / 1000) {
      const why = `only ${length - left} bytes came in ${Math.round(waited / 1000)} s`
      watch.giveUp(why)
      throw new Error(why)
    }
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
