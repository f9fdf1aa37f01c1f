import { UploadError } from "../../src/protocol.ts"
import { refuseBroken } from "./keep-bytes.ts"
import { isHttp2Request, type NodeRequest, type NodeResponse } from "./node-message.ts"
import { isBodyRead, restoreBody } from "./parsed-body.ts"
import { isTakenIn } from "./request-body.ts"
import { joinLine } from "./when-its-turn.ts"

/** A name, an IPv4 or a bracketed IPv6 address, and perhaps a port. */
const hostPattern = /^(?:[\w.-]+|\[[\da-f:.]+\])(?::\d{1,5})?$/i

/** A target that also names scheme and host, as clients send it to proxies; servers have to accept it (RFC 9112 §3.2.2). */
const absoluteForm = /^https?:\/\/([^/]*)(.*)$/is

/** Path steps that `new URL` resolves, but that a framework that routed the request has not resolved: `..` in any spelling, `\`. */
const unsettledPath = /^[^?]*?(?:\\|\/(?:\.|%2e){1,2}(?:[/?#]|$))/i

/** The target as the client sent it, even if a framework has removed a mount prefix. */
const targetOf = (req: NodeRequest): string => (req as { originalUrl?: string }).originalUrl ?? req.url ?? "/"

/** The `Host` header where the target names a host itself, which is the one that counts; undefined where the target does not. */
export const otherHostOf = (req: NodeRequest): string | undefined =>
  absoluteForm.test(targetOf(req)) || req.headers[":authority"] !== undefined ? req.headers.host : undefined

/**
 * The absolute URL of a request: the scheme of its own socket, the target's host, otherwise `Host` (or `:authority`),
 * and the whole path that was routed. Never made by `new URL(path, base)`: `//evil.example` is a path here.
 */
const toUrl = (req: NodeRequest): string => {
  const target = targetOf(req)
  const [, named, rest = target] = absoluteForm.exec(target) ?? []
  const isEncrypted = isHttp2Request(req)
    ? req.stream.session?.encrypted === true
    : "encrypted" in req.socket && req.socket.encrypted === true
  // HTTP/1.0 needs no Host.
  const host = named ?? req.headers[":authority"] ?? req.headers.host ?? `localhost:${req.socket.localPort}`
  if (typeof host !== "string" || !hostPattern.test(host)) {
    throw new UploadError({ code: "BAD_REQUEST", message: "The request's host is not a name with an optional port." })
  }
  if (unsettledPath.test(rest)) {
    throw new UploadError({ code: "BAD_REQUEST", message: "The request's path holds `..`, `.` or a backslash." })
  }
  return `${isEncrypted ? "https" : "http"}://${host}${rest.startsWith("/") ? rest : "/"}`
}

/** Whether `Host` was sent more than once. Node reads the first one, a proxy in front may have read another. */
const hasTwoHosts = ({ rawHeaders }: NodeRequest): boolean => {
  let isFound = false
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const name = rawHeaders[i]!
    if (name.length !== 4 || name.toLowerCase() !== "host") continue
    if (isFound) return true
    isFound = true
  }
  return false
}

/** A request that was checked, before anything is made of it. */
export interface Checked {
  readonly req: NodeRequest
  readonly res: NodeResponse | undefined
  readonly url: string
  /** The body that a parser has read before. */
  readonly restored: Uint8Array<ArrayBuffer> | undefined
}

/** Whether a `Request` of this method can have no body. */
export const hasNoBody = (method: string): boolean => method === "GET" || method === "HEAD"

/**
 * Checks what can be wrong with a request before anything is made of it.
 *
 * Fails: throws UploadError, codes BAD_REQUEST (no valid host or address, two hosts, a path that URLs would settle to another,
 *        status 505 for another protocol than is spoken, 408 for a body that was read and came too slowly), RATE_LIMITED (too many requests sent ahead on its
 *        connection, no room for a large body that was read), METHOD_NOT_ALLOWED, INVALID_CONFIG (parsed body).
 */
export const checkRequest = (req: NodeRequest, res: NodeResponse | undefined): Checked => {
  const { method = "GET", httpVersionMajor: major } = req
  if (res !== undefined) joinLine(req, res)
  // Node's parser accepts the request lines of HTTP/0.9 and HTTP/2.0 over HTTP/1, where neither is spoken.
  if (!isHttp2Request(req) && (major === 0 || major > 1)) {
    throw new UploadError({
      code: "BAD_REQUEST",
      status: 505,
      message: `This connection speaks HTTP/1.1, and the request says HTTP/${req.httpVersion}.`,
    })
  }
  // Methods differ by case (RFC 9110 §9.1), but the Fetch API takes `get` for `GET`.
  if (/^(CONNECT|TRACE|TRACK)$|[a-z]/.test(method)) {
    throw new UploadError({ code: "METHOD_NOT_ALLOWED", message: `${method} is not supported.` })
  }
  if (hasTwoHosts(req)) {
    throw new UploadError({ code: "BAD_REQUEST", message: "The request names two hosts (RFC 9112 §3.2)." })
  }
  refuseBroken(req, res)
  const url = URL.parse(toUrl(req))?.href
  if (url === undefined)
    throw new UploadError({ code: "BAD_REQUEST", message: "The request's address is not a valid URL." })
  const isRestored = !hasNoBody(method) && isBodyRead(req) && !isTakenIn(req)
  return { req, res, url, restored: isRestored ? restoreBody(req) : undefined }
}
