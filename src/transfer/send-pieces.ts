import { isDisposable, markDisposable } from "../protocol/disposable-stream.ts"
import type { BytesRequest } from "./bytes-request.ts"
import type { fetchReply, Fetch, Reply } from "./reply.ts"
import type { sendFromPage } from "./send-from-page.ts"

/** The most bytes of a body that Node is given at once: a stream costs more than they do, and shows nothing of them. */
const whole = 2 ** 16

/** Node's own pieces of a Blob, 64 KiB, cost more than sending them. */
async function* readPieces(body: Blob, size = 2 ** 20): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.size; at += size) yield new Uint8Array(await body.slice(at, at + size).arrayBuffer())
}

/** Missing in the DOM's declarations; only runtimes that send streams get here. */
const toStream = (pieces: AsyncIterable<Uint8Array>): ReadableStream =>
  (ReadableStream as unknown as { from(pieces: AsyncIterable<Uint8Array>): ReadableStream }).from(pieces)

/** A `fetch` that sends a request's bytes as a stream of pieces, or at once where they are few, and tells how far it is. */
const withPieces = (fetch: Fetch, request: BytesRequest, isNode: boolean): Fetch => {
  const { headers, body, size, onProgress } = request
  // Node keeps all of a body in memory in case of a redirect, unless both of these forbid it (the clone in
  // "HTTP-network-or-cache fetch"). Not for others: workerd knows no `redirect: "error"`.
  const unrepeated = isNode && { redirect: "error", window: null }
  if (!("getReader" in body) && size <= whole) {
    return async (url, init) => {
      const bytes = new Uint8Array(await (body as Blob).arrayBuffer())
      const answer = fetch(url, { ...init, ...unrepeated, body: bytes } as RequestInit)
      onProgress(size)
      return answer
    }
  }
  const pieces = async function* () {
    let loaded = 0
    for await (const piece of "getReader" in body ? body : readPieces(body as Blob)) {
      loaded += piece.length
      yield piece
      onProgress(loaded)
    }
  }
  const sent = toStream(pieces())
  // What was read for this one request is of no use after it.
  if (!("getReader" in body) || isDisposable(body)) markDisposable(sent)
  const stream = { headers: { ...headers, "content-length": `${size}` }, body: sent, duplex: "half" }
  return (url, init) => fetch(url, { ...init, ...unrepeated, ...stream } as RequestInit)
}

/**
 * Sends bytes in whatever way is left where no page can send them as they are: Node gets pieces, others the Blob or the
 * stream. A page, and a service worker, first reads a stream into a Blob: Firefox and Safari send a stream as the text
 * "[object ReadableStream]", Chromium not over HTTP/1.
 *
 * It is loaded later than the rest, and imports nothing of it: a bundler would make a third part of what both need.
 *
 * Fails: as `byFetch` and `fromPage` do; with the error of a stream that a page has read.
 */
export const sendInPieces = async (
  fetch: Fetch,
  request: BytesRequest,
  byFetch: typeof fetchReply,
  fromPage: typeof sendFromPage,
): Promise<Reply> => {
  const { url, headers, signal } = request
  let { body } = request
  const isPage = "XMLHttpRequest" in globalThis
  if ("getReader" in body && (isPage || globalThis.location)) body = await new Response(body as BodyInit).blob()
  if (isPage) return fromPage({ ...request, body })
  const isNode = globalThis.navigator?.userAgent?.startsWith("Node.js") ?? false
  const isTold = isNode || "getReader" in body
  const put = isTold ? withPieces(fetch, { ...request, body }, isNode) : fetch
  // Nobody tells how far it is.
  if (!isTold) request.touch(Infinity)
  return byFetch(put, url, { method: "PUT", signal, headers, body } as RequestInit)
}
