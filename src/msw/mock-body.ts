/** The body of a PUT, read only as far as a test wants. */
export interface MockBody {
  /** Reads at most this many of the next bytes; fewer only at the end. */
  readonly take: (count: number) => Promise<Uint8Array>
}

/** Whether the file is a part of the body. */
export const isForm = (request: Request): boolean => /^multipart\//i.test(request.headers.get("content-type") ?? "")

/** The file's bytes in a PUT: the body, or the part `file` of a form. Source: docs/protocol.md §10. */
const openStream = async (request: Request): Promise<ReadableStream<Uint8Array> | null> => {
  if (!isForm(request)) return request.body
  const part = (await request.formData()).get("file")
  return part === null || typeof part === "string" ? null : part.stream()
}

/** Opens the body of a PUT. */
export const openMockBody = async (request: Request): Promise<MockBody> => {
  const reader = (await openStream(request))?.getReader()
  let ahead = new Uint8Array(0)
  let isEnd = reader === undefined
  return {
    take: async (count) => {
      const chunks: Array<Uint8Array> = []
      let length = 0
      while (length < count) {
        if (ahead.length === 0 && !isEnd) {
          // A client that disconnects ends its body too: what has arrived is kept.
          const read = await reader!.read().catch(() => undefined)
          if (read?.value === undefined) isEnd = true
          else ahead = new Uint8Array(read.value)
        }
        if (ahead.length === 0 && isEnd) break
        const chunk = ahead.subarray(0, count - length)
        ahead = ahead.subarray(chunk.length)
        length += chunk.length
        chunks.push(chunk)
      }
      return joinBytes(chunks)
    },
  }
}

/** Joins several arrays into one. */
export const joinBytes = (chunks: ReadonlyArray<Uint8Array>): Uint8Array<ArrayBuffer> => {
  const joined = new Uint8Array(chunks.reduce((sum, { length }) => sum + length, 0))
  let offset = 0
  for (const chunk of chunks) {
    joined.set(chunk, offset)
    offset += chunk.length
  }
  return joined
}
