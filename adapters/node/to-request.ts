import { UploadError } from "../../src/protocol.ts"
import { type Checked, checkRequest, hasNoBody } from "./check-request.ts"
import { isGone, isHttp2Request, type NodeRequest, type NodeResponse } from "./node-message.ts"
import { hasBody, toBodyStream } from "./request-body.ts"

const toHeaders = (req: NodeRequest): Headers => {
  const headers = new Headers()
  const raw = req.rawHeaders
  for (let i = 0; i < raw.length; i += 2) {
    if (!raw[i]!.startsWith(":")) headers.append(raw[i]!, raw[i + 1]!)
  }
  return headers
}

/** Aborts when the connection breaks before the answer was written completely. */
const toSignal = (req: NodeRequest, res: NodeResponse | undefined): AbortSignal => {
  const controller = new AbortController()
  const abort = () => controller.abort(new DOMException("The client closed the connection.", "AbortError"))
  if (res === undefined) {
    req.once("close", () => {
      if (!req.readableEnded) abort()
    })
  } else {
    // An HTTP/2 response says "finish" even when its stream was reset.
    const isSent = () => (isHttp2Request(req) ? res.writableEnded && !req.stream.aborted : res.writableFinished)
    const close = () => {
      if (!isSent()) abort()
    }
    if (isGone(res)) close()
    else res.once("close", close)
  }
  return controller.signal
}

/** @param isRead whether its body was read before, so that nothing is left of it */
export const makeRequest = (
  { req, res, url, restored }: Checked,
  { isObserved, isRead }: { readonly isObserved: boolean; readonly isRead: boolean },
): Request => {
  const { method = "GET" } = req
  const headers = toHeaders(req)
  const init: RequestInit & { duplex?: "half" } = { method, headers }
  if (isObserved) init.signal = toSignal(req, res)
  if (restored !== undefined) {
    // A parser also decompresses.
    headers.delete("content-encoding")
    headers.delete("transfer-encoding")
    headers.set("content-length", String(restored.byteLength))
    init.body = restored
  } else if (!hasNoBody(method) && hasBody(req)) {
    // Not a text, which would bring a content type of its own.
    init.body = isRead ? new Uint8Array() : toBodyStream(req)
    init.duplex = "half"
  }
  try {
    const request = new Request(url, init)
    if (isRead) void request.arrayBuffer()
    return request
  } catch (cause) {
    throw new UploadError({ code: "BAD_REQUEST", message: "The Fetch API has no request like this one.", cause })
  }
}

/**
 * A Node request as a web Request.
 *
 * Its body streams with back-pressure and is not touched before it is read. If a parser has already read it, the
 * parser's result is used, see `restoreBody`.
 *
 * @param res  with it `request.signal` aborts when the client disconnects before it has the whole answer; without it
 *             only when it disconnects before the request was read
 * @param isObserved whether `request.signal` is used; making it is a large part of the work for a small request
 *
 * Fails: as {@link checkRequest}.
 */
export const toRequest = (req: NodeRequest, res?: NodeResponse, isObserved = true): Request =>
  makeRequest(checkRequest(req, res), { isObserved, isRead: false })
