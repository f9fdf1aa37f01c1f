import { type Fetch, fetchReply, networkError, type Reply } from "./reply.ts"

/** One PUT of raw bytes. */
export interface BytesRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly body: Blob
  readonly signal: AbortSignal
  /** Bytes of this body handed to the network so far. */
  readonly onProgress: (loaded: number) => void
}

const sendWithXhr = ({ url, headers, body, signal, onProgress }: BytesRequest): Promise<Reply> =>
  new Promise((resolve, reject) => {
    const xhr = new XMLHttpRequest()
    const abort = () => xhr.abort()
    xhr.upload.onprogress = ({ loaded }) => onProgress(loaded)
    xhr.onload = () => {
      // `getResponseHeader` writes to the console for each name CORS hides; this does not.
      const visible = new Headers()
      for (const line of xhr.getAllResponseHeaders().split("\r\n")) {
        const colon = line.indexOf(":")
        if (colon > 0) visible.append(line.slice(0, colon), line.slice(colon + 1))
      }
      resolve({ status: xhr.status, body: xhr.responseText, header: (name) => visible.get(name) })
    }
    xhr.onerror = xhr.onabort = () => reject(networkError())
    xhr.onloadend = () => signal.removeEventListener("abort", abort)
    xhr.open("PUT", url)
    for (const name in headers) xhr.setRequestHeader(name, headers[name]!)
    signal.addEventListener("abort", abort)
    xhr.send(body)
  })

/**
 * A body that tells how far it was read.
 *
 * Node's `fetch` reads a Blob through its public `stream`; runtimes that do not (Bun, Deno, service workers) send the
 * same bytes and only report nothing in between. A stream body would lose `content-length`, and Firefox and Safari
 * send it as the text "[object ReadableStream]".
 */
const counted = (body: Blob, onProgress: (loaded: number) => void): Blob => {
  let loaded = 0
  const count = new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      controller.enqueue(chunk)
      onProgress((loaded += chunk.byteLength))
    },
  })
  return Object.assign(new Blob([body]), { stream: () => body.stream().pipeThrough(count) })
}

/**
 * Node's `fetch` keeps all of a body in memory in case of a redirect, unless both of these forbid it (the clone in
 * "HTTP-network-or-cache fetch"). Not for others: workerd knows no `redirect: "error"`.
 */
const unrepeated = (): RequestInit =>
  globalThis.navigator?.userAgent?.startsWith("Node.js") ? { redirect: "error", window: null } : {}

/**
 * PUTs bytes: by XMLHttpRequest where there is one, as `fetch` reports no progress in browsers.
 *
 * Fails: rejects with NETWORK_ERROR, also when aborted.
 */
export const sendBytes = (fetch: Fetch, request: BytesRequest): Promise<Reply> => {
  if (typeof XMLHttpRequest !== "undefined") return sendWithXhr(request)
  const { url, headers, signal, onProgress } = request
  const body = counted(request.body, onProgress)
  return fetchReply(fetch, url, { method: "PUT", headers, signal, body, ...unrepeated() })
}
