import type { BytesRequest } from "./bytes-request.ts"
import { type Fetch, fetchReply, type Reply } from "./reply.ts"
import { sendFromPage } from "./send-from-page.ts"

/**
 * Sends bytes: by XMLHttpRequest where it exists, because `fetch` reports no progress in browsers.
 *
 * Node's `fetch` gets pieces, which show how far they were read; other runtimes get the Blob itself, and only report
 * no progress in between. All that is loaded on first use, and so is what reads a stream in a page: few need it.
 *
 * Fails: rejects with NETWORK_ERROR, also when aborted; with the UploadError with which a stream broke off.
 */
export const sendBytes = async (fetch: Fetch, request: BytesRequest): Promise<Reply> =>
  "XMLHttpRequest" in globalThis && !("getReader" in request.body)
    ? sendFromPage(request)
    : (await import("./late.ts")).sendInPieces(fetch, request, fetchReply, sendFromPage)
