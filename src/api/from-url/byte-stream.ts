/**
 * A stream that pulls a chunk only when its reader does.
 *
 * @param onCancel runs before the generator is stopped, which may be waiting for a chunk that will never come
 */
export const toByteStream = (
  chunks: AsyncGenerator<Uint8Array, void>,
  onCancel?: () => void,
): ReadableStream<Uint8Array> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await chunks.next()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel: async () => {
        onCancel?.()
        await chunks.return()
      },
    },
    { highWaterMark: 0 },
  )
