import { bodyOf } from "./body-of.ts"
import type { HttpAnswer, HttpRequest, Send } from "./transport.ts"

/** Anything that sends requests as `globalThis.fetch` does. */
export type FetchLike = (url: string, init?: RequestInit) => Promise<Response>

/** An answer of `fetch`: its body can be taken as a stream instead. */
export interface FetchAnswer extends HttpAnswer {
  readonly body: ReadableStream<Uint8Array> | null
}

const toAnswer = (response: Response): FetchAnswer => {
  const { status, headers } = response
  const body = bodyOf(response)
  let reader: ReadableStreamDefaultReader<Uint8Array> | undefined
  const giveUp = () => void (reader ?? body)?.cancel().catch(() => {})
  return {
    status,
    headers,
    body,
    read: async (take) => {
      if (body === null) return
      reader = body.getReader()
      for (let read = await reader.read(); !read.done; read = await reader.read()) {
        if (!take(read.value)) return giveUp()
      }
    },
    stream: () => body ?? new ReadableStream({ start: (controller) => controller.close() }),
    giveUp,
  }
}

/** A Blob has a length that `fetch` can send; a stream has none. */
const toBody = (body: HttpRequest["body"]): RequestInit["body"] =>
  typeof body === "object" ? new Blob(body as ReadonlyArray<BlobPart> as Array<BlobPart>) : body

/** Sends requests with a `fetch`. */
export const sendWithFetch =
  (fetch: FetchLike): Send<FetchAnswer> =>
  async ({ url, body, onProgress: _, isSentOnce: __, ...init }) =>
    toAnswer(await fetch(url, { ...init, body: toBody(body), redirect: "manual" } as RequestInit))
