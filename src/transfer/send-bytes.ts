import type { BytesRequest } from "./bytes-request.ts"
import { type Fetch, fetchReply, type Reply } from "./reply.ts"
import { sendFromPage } from "./send-from-page.ts"

/**
 * Sends bytes: by XMLHttpRequest where it exists, because `fetch` reports no progress in browsers.
 *
 * Node's `fetch` gets pieces, which show how far they were read; other runtimes get the Blob itself, and only report
 * no progress in between. What sends pieces is loaded on first use: no page needs it.
 *
 * Fails: rejects with NETWORK_ERROR, also when aborted; with the UploadError with which a stream broke off.
 */
export const sendBytes = async (fetch: Fetch, request: BytesRequest): Promise<Reply> => {
  const { url, headers, signal } = request
  let { body } = request
  // Firefox and Safari send a stream as the text "[object ReadableStream]", Chromium not over HTTP/1.
  if ("getReader" in body && globalThis.location) body = await new Response(body as BodyInit).blob()
  if ("XMLHttpRequest" in globalThis) return sendFromPage({ ...request, body })
  const isNode = globalThis.navigator?.userAgent?.startsWith("Node.js")
  const isInPieces = isNode || "getReader" in body
  const put = isInPieces ? (await import("./send-pieces.ts")).withPieces(fetch, request, isNode) : fetch
  return fetchReply(put, url, { method: "PUT", signal, headers, body } as RequestInit)
}
