import { type Fetch, fetchReply, networkError, type Reply } from "./reply.ts"
import type { UploadBody } from "./uploadable-file.ts"

/** One PUT of raw bytes. */
export interface BytesRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: UploadBody
  /** Bytes of the body. */
  readonly size: number
  readonly signal: AbortSignal
  /** Bytes of this body handed to the network so far. */
  readonly onProgress: (loaded: number) => void
}

const sendWithXhr = ({ url, headers, body, signal, onProgress }: BytesRequest): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    const abort = () => xhr.abort()
    xhr.upload.onprogress = ({ loaded }) => onProgress(loaded)
    // `getResponseHeader` writes to the console for each name CORS hides; this does not.
    const header = (name: string) => new RegExp(`^${name}: *(.*)$`, "im").exec(xhr.getAllResponseHeaders())?.[1] ?? null
    xhr.onload = () => resolve({ status: xhr.status, body: xhr.responseText, header })
    xhr.onerror = xhr.onabort = () => reject(networkError())
    xhr.onloadend = () => signal.removeEventListener("abort", abort)
    xhr.open("PUT", url)
    for (const name in headers) xhr.setRequestHeader(name, headers[name]!)
    signal.addEventListener("abort", abort)
    // React Native's takes `{ uri }` and reads the file itself.
    xhr.send(body as Blob)
  })

/** Node's own pieces of a Blob, 64 KiB, cost more than sending them. */
async function* readPieces(body: Blob, size = 2 ** 20): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < body.size; at += size) yield new Uint8Array(await body.slice(at, at + size).arrayBuffer())
}

/** Missing in the DOM's declarations; only runtimes that send streams get here. */
const toStream = (pieces: AsyncIterable<Uint8Array>): ReadableStream =>
  (ReadableStream as unknown as { from(pieces: AsyncIterable<Uint8Array>): ReadableStream }).from(pieces)

/**
 * PUTs bytes: by XMLHttpRequest where it exists, because `fetch` reports no progress in browsers.
 *
 * Node's `fetch` gets a stream, which shows how far it was read; other runtimes get the Blob itself, and only report
 * no progress in between.
 *
 * Fails: rejects with NETWORK_ERROR, also when aborted; with the UploadError with which a stream broke off.
 */
export const sendBytes = async (fetch: Fetch, request: BytesRequest): Promise<Reply> => {
  const { url, headers, size, signal, onProgress } = request
  const isNode = globalThis.navigator?.userAgent?.startsWith("Node.js")
  let { body } = request
  // Firefox and Safari send a stream as the text "[object ReadableStream]", Chromium not over HTTP/1.
  if ("getReader" in body && globalThis.location) body = await new Response(body as BodyInit).blob()
  if ("XMLHttpRequest" in globalThis) return sendWithXhr({ ...request, body })
  const isStream = "getReader" in body || (isNode && size > 0)
  const pieces = async function* () {
    let loaded = 0
    for await (const piece of "getReader" in body ? body : readPieces(body as Blob)) {
      yield piece
      onProgress((loaded += piece.length))
    }
  }
  const init: object = isStream
    ? { headers: { ...headers, "content-length": `${size}` }, body: toStream(pieces()), duplex: "half" }
    : { headers, body }
  // Node keeps all of a body in memory in case of a redirect, unless both of these forbid it (the clone in
  // "HTTP-network-or-cache fetch"). Not for others: workerd knows no `redirect: "error"`.
  const unrepeated = isNode && { redirect: "error", window: null }
  return fetchReply(fetch, url, { method: "PUT", signal, ...unrepeated, ...init } as RequestInit)
}
