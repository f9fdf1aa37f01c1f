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

/**
 * PUTs bytes: by XMLHttpRequest where there is one, as `fetch` reports no progress in browsers.
 *
 * Node's `fetch` gets a stream, which tells how far it was read; other runtimes get a Blob as it is, and only report
 * nothing in between.
 *
 * Fails: rejects with NETWORK_ERROR, also when aborted; with the UploadError a stream broke off with.
 */
export const sendBytes = async (fetch: Fetch, request: BytesRequest): Promise<Reply> => {
  const { url, headers, size, signal, onProgress } = request
  const isNode = globalThis.navigator?.userAgent?.startsWith("Node.js")
  let { body } = request
  // Firefox and Safari send a stream as the text "[object ReadableStream]", Chromium not by HTTP/1.
  if ("getReader" in body && globalThis.location) body = await new Response(body as BodyInit).blob()
  if ("XMLHttpRequest" in globalThis) return sendWithXhr({ ...request, body })
  if (isNode && size > 0 && "stream" in body) body = (body as Blob).stream()
  let loaded = 0
  const init: object =
    "getReader" in body
      ? {
          headers: { ...headers, "content-length": String(size) },
          body: body.pipeThrough(
            new TransformStream<Uint8Array, Uint8Array>({
              transform: (chunk, controller) => {
                controller.enqueue(chunk)
                onProgress((loaded += chunk.byteLength))
              },
            }),
          ),
          duplex: "half",
        }
      : { headers, body }
  // Node keeps all of a body in memory in case of a redirect, unless both of these forbid it (the clone in
  // "HTTP-network-or-cache fetch"). Not for others: workerd knows no `redirect: "error"`.
  const unrepeated = isNode && { redirect: "error", window: null }
  return fetchReply(fetch, url, { method: "PUT", signal, ...unrepeated, ...init } as RequestInit)
}
