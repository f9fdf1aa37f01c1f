import type { BytesRequest } from "./bytes-request.ts"
import { isReadable } from "./is-readable.ts"
import { networkError, type Reply } from "./reply.ts"

/** @param bytes a body that goes as a POST; without them it goes as a PUT */
const sendWithXhr = (
  { url, headers, body, size, signal, onProgress }: BytesRequest,
  bytes?: ArrayBuffer,
): Promise<Reply> =>
  new Promise((resolve, reject) => {
    signal.throwIfAborted()
    const xhr = new XMLHttpRequest()
    const abort = () => xhr.abort()
    let timer: ReturnType<typeof setTimeout> | undefined
    let reply: Reply | undefined
    // `getResponseHeader` writes to the console for each name CORS hides; this does not.
    const header = (name: string) => new RegExp(`^${name}: *(.*)$`, "im").exec(xhr.getAllResponseHeaders())?.[1]
    xhr.onload = () => resolve((reply = { status: xhr.status, body: xhr.responseText, header }))
    // Also after an error, and where it was aborted.
    xhr.onloadend = () => {
      clearTimeout(timer)
      signal.removeEventListener("abort", abort)
      // An error costs more than all else here.
      if (!reply) reject(networkError())
    }
    // More bytes than any answer has: a page that reads one without an end freezes.
    xhr.onprogress = ({ loaded }) => loaded > 1e7 && abort()
    xhr.open(bytes ? "POST" : "PUT", url)
    signal.addEventListener("abort", abort)
    if (bytes) {
      // Headers, a listener for progress and the type of a Blob would need a preflight request.
      xhr.send(bytes)
      // After 100 ms it counts as sent: Chromium tells it as late of a PUT, and a dead server is known by then.
      timer = setTimeout(() => onProgress(size), 100)
    } else {
      for (const name in headers) xhr.setRequestHeader(name, headers[name]!)
      xhr.upload.onprogress = ({ loaded }) => {
        onProgress(loaded)
        // Of a file that is written over meanwhile Chromium reads on, and would send some of both.
        if (loaded < size && "arrayBuffer" in body) void isReadable(body as Blob).then((can) => can || abort())
      }
      // React Native's takes `{ uri }` and reads the file itself.
      xhr.send(body as Blob)
    }
  })

/**
 * By host, whether it refuses a POST: older ingests do by 405, and a proxy that does not know of it by an answer that no
 * page may read. Once a POST was answered, a broken connection is only that.
 */
const refusesPost: Record<string, boolean> = {}

/**
 * Sends bytes by XMLHttpRequest: a small file as a POST, before which browsers ask nobody, all else as a PUT.
 *
 * Fails:  rejects with NETWORK_ERROR, also when aborted.
 * Source: docs/protocol.md §10.
 */
export const sendFromPage = async (request: BytesRequest): Promise<Reply> => {
  const { url, body, size, isPlain, signal, onProgress } = request
  const host = url.split("/")[2]!
  const bytes =
    isPlain &&
    // What browsers hand to the network in one piece: there is no progress in between.
    size <= 2 ** 14 &&
    "arrayBuffer" in body &&
    !refusesPost[host] &&
    (await (body as Blob).arrayBuffer().catch(() => Promise.reject(networkError())))
  if (bytes) {
    try {
      const reply = await sendWithXhr(request, bytes)
      if (!(refusesPost[host] = reply.status === 405)) {
        // It was answered before the time was over: who waits for the app now does not go back to sending.
        onProgress(size)
        return reply
      }
    } finally {
      if (!signal.aborted) refusesPost[host] ??= true
    }
  }
  // Of a file that was cut or removed WebKit and Firefox send less, or nothing, and never say that it is over. Chromium breaks the
  // request, and there the look would take as long as sending a small file does.
  if (!("chrome" in globalThis) && "arrayBuffer" in body && !(await isReadable(body as Blob))) throw networkError()
  return sendWithXhr(request)
}
