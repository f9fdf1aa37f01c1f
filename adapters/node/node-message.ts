import type { IncomingMessage, ServerResponse } from "node:http"
import type { Http2ServerRequest, Http2ServerResponse } from "node:http2"

/** A request of Node's servers: HTTP/1, or HTTP/2 in its compatibility form. */
export type NodeRequest = IncomingMessage | Http2ServerRequest

/** Where the answer to a {@link NodeRequest} is written. */
export type NodeResponse = ServerResponse | Http2ServerResponse

/**
 * HTTP/2 has its own framing: connection headers, reason phrases and socket tricks do not exist there.
 *
 * Judged by the stream of the compatibility API, never by the version, which is only the client's claim over HTTP/1.
 */
export const isHttp2Request = (req: NodeRequest): req is Http2ServerRequest =>
  typeof (req as Partial<Http2ServerRequest>).stream?.respond === "function"

/** Whether the client has disconnected; an HTTP/2 response has no `destroyed`. */
export const isGone = (res: NodeResponse): boolean => {
  const { req } = res
  return isHttp2Request(req) ? req.stream.destroyed : (res as ServerResponse).destroyed
}
