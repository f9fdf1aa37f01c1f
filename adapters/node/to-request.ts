import { UploadError } from "../../src/protocol.ts"
import { isHttp2Request, type NodeRequest, type NodeResponse } from "./node-message.ts"
import { isBodyRead, restoreBody } from "./parsed-body.ts"
import { hasBody, toBodyStream } from "./request-body.ts"

/** A name, an IPv4 or a bracketed IPv6 address, and perhaps a port. */
const hostPattern = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/**
 * The absolute URL of a request: scheme of its own socket, `Host` (or `:authority`), and the whole path, also where a
 * framework has cut off a mount prefix (`originalUrl`). Never by `new URL(path, base)`: `//evil.example` is a path here.
 */
const toUrl = (req: NodeRequest): string => {
  const target = (req as { originalUrl?: string }).originalUrl ?? req.url ?? "/"
  if (/^https?:\/\//i.test(target)) return target
  const isEncrypted = isHttp2Request(req)
    ? req.stream.session?.encrypted === true
    : "encrypted" in req.socket && req.socket.encrypted === true
  // HTTP/1.0 needs no Host.
  const host = req.headers[":authority"] ?? req.headers.host ?? `localhost:${req.socket.localPort}`
  if (typeof host !== "string" || !hostPattern.test(host)) {
    throw new UploadError({ code: "BAD_REQUEST", message: "The Host header is not a host name with an optional port." })
  }
  return `${isEncrypted ? "https" : "http"}://${host}${target.startsWith("/") ? target : "/"}`
}

const toHeaders = (req: NodeRequest): Headers => {
  const headers = new Headers()
  const raw = req.rawHeaders
  for (let i = 0; i < raw.length; i += 2) {
    if (!raw[i]!.startsWith(":")) headers.append(raw[i]!, raw[i + 1]!)
  }
  return headers
}

/** Aborts when the connection goes away before the answer was written completely. */
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
    res.once("close", () => {
      if (!isSent()) abort()
    })
  }
  return controller.signal
}

/**
 * A Node request as a web Request.
 *
 * Its body streams with back-pressure and is not touched before somebody reads it. Where a parser in front has read
 * it, the parser's result is used, see `restoreBody`.
 *
 * @param res  with it `request.signal` aborts when the client leaves before it has the whole answer; without it only
 *             when it leaves before the request was read
 * @param isObserved whether anybody looks at `request.signal`; making it is a good part of the work for a small request
 *
 * Fails: throws UploadError, codes BAD_REQUEST (no valid Host), METHOD_NOT_ALLOWED, INVALID_CONFIG (parsed body).
 */
export const toRequest = (req: NodeRequest, res?: NodeResponse, isObserved = true): Request => {
  const method = req.method ?? "GET"
  if (method === "CONNECT" || method === "TRACE" || method === "TRACK") {
    throw new UploadError({ code: "METHOD_NOT_ALLOWED", message: `${method} is not supported.` })
  }
  const url = toUrl(req)
  const headers = toHeaders(req)
  const init: RequestInit & { duplex?: "half" } = { method, headers }
  if (isObserved) init.signal = toSignal(req, res)
  if (method !== "GET" && method !== "HEAD") {
    if (isBodyRead(req)) {
      const body = restoreBody(req)
      // A parser also inflates.
      headers.delete("content-encoding")
      headers.delete("transfer-encoding")
      headers.set("content-length", String(body.byteLength))
      init.body = body
    } else if (hasBody(req)) {
      init.body = toBodyStream(req)
      init.duplex = "half"
    }
  }
  try {
    return new Request(url, init)
  } catch (cause) {
    throw new UploadError({ code: "BAD_REQUEST", message: "The request's address is not a valid URL.", cause })
  }
}
