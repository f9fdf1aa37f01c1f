/**
 * A stream that asks for a chunk only when its reader does.
 *
 * @param onCancel runs before the chunks are told, which may be waiting for what will not come
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
