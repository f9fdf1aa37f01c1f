/** A request body whose first bytes come at once, and the others when the test wants. */
export const createPacedBody = (
  first: string,
): { readonly body: ReadableStream<Uint8Array>; readonly end: (last: string) => void } => {
  const encoder = new TextEncoder()
  let controller: ReadableStreamDefaultController<Uint8Array>
  const body = new ReadableStream<Uint8Array>({
    start: (made) => {
      controller = made
      controller.enqueue(encoder.encode(first))
    },
  })
  return {
    body,
    end: (last) => {
      controller.enqueue(encoder.encode(last))
      controller.close()
    },
  }
}
