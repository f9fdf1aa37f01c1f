import type { ServerResponse } from "node:http"
import type { Socket } from "node:net"
import { UploadError } from "../../src/protocol.ts"
import { isHttp2Request, type NodeRequest, type NodeResponse } from "./node-message.ts"

/** The most unanswered requests on one connection. Clients that pipeline send a dozen. */
const most = 32

/** The unanswered requests of a connection. */
interface Line {
  newest: ServerResponse
  length: number
  isCut: boolean
}

const lines = new WeakMap<Socket, Line>()
const inLine = new WeakSet<NodeRequest>()

/**
 * Counts a request among those of its connection until its response has ended; only once, however often it is called.
 *
 * HTTP/1.1 lets a client send many requests without reading an answer (RFC 9112 §9.3.2), and Node dispatches all of
 * them at once: while the first one waits, nothing stops the others from piling up. So one too many closes the
 * connection.
 *
 * Fails: throws UploadError, code RATE_LIMITED, for a connection that was closed for that.
 *
 * @returns the previous response
 */
export const joinLine = (req: NodeRequest, target: NodeResponse): ServerResponse | undefined => {
  if (isHttp2Request(req) || !req.socket || inLine.has(req)) return undefined
  const { socket } = req
  const res = target as ServerResponse
  const line = lines.get(socket) ?? { newest: res, length: 0, isCut: false }
  if (line.isCut || line.length >= most) {
    line.isCut = true
    socket.destroy()
    throw new UploadError({
      code: "RATE_LIMITED",
      message: `More than ${most} requests were sent ahead on one connection. It is closed.`,
    })
  }
  inLine.add(req)
  const before = line.length === 0 ? undefined : line.newest
  line.newest = res
  line.length++
  lines.set(socket, line)
  res.once("close", () => {
    // A connection that waits for its next request keeps nothing of the last one.
    if (--line.length === 0 && !line.isCut) lines.delete(socket)
  })
  return before
}

/**
 * Waits until the previous responses on its connection have ended: a single packet could otherwise have a thousand
 * files opened.
 *
 * Never resolves when the connection breaks before that, because there is no client left to answer.
 *
 * Fails: throws as {@link joinLine} does.
 */
export const whenItsTurn = (req: NodeRequest, target: NodeResponse): Promise<void> | undefined => {
  const before = joinLine(req, target)
  // Node gives the connection to the response whose turn it is.
  if (before === undefined || before.closed || (target as ServerResponse).socket !== null) return undefined
  return new Promise((resolve) => {
    before.once("close", () => {
      if (!req.socket.destroyed) resolve()
    })
  })
}
