import type { Socket } from "node:net"
import { isHttp2Request, type NodeRequest } from "./node-message.ts"

/** Bytes from which on a piece of a body costs less to take in than its bytes do. */
const smallPiece = 256

/** Small pieces of a body after which its connection is accounted for, and has to wait. */
const bill = 1000

/** How many small pieces all connections together may send in a millisecond: they take a quarter of a core. */
const perMillisecond = 100

/** So many at once come in one read alone, in which each has some ten bytes at the most. */
const crowd = 4096

/** How many such reads a body may have while many others send small pieces, too. */
const crowdsAllowed = 4

/** How long those others are waited for, ms: what one body sends in a read takes a tenth of that. */
const busy = 1000

/** The longest wait, ms. */
const longestWait = 5000

/** What a body has sent in small pieces. */
interface Meter {
  /** That are not accounted for yet. */
  pieces: number
  crowds: number
  isResting: boolean
}

const meters = new WeakMap<NodeRequest, Meter>()

/** When all that was accounted for is over. */
let freeAt = 0

/** Lets a connection read on later. Node starts to read by itself whenever the request may take more. */
const rest = (socket: Socket, meter: Meter): void => {
  const hold = () => void socket.pause()
  meter.isResting = true
  socket.on("resume", hold)
  socket.pause()
  // By then all pieces of this read have come.
  setImmediate(() => {
    const now = performance.now()
    const ahead = Math.max(freeAt - now, 0)
    const due = ahead + meter.pieces / perMillisecond
    const isCrowd = meter.pieces >= crowd && ahead > busy
    // Nobody pays for what is cut off.
    if (isCrowd && (++meter.crowds > crowdsAllowed || due > longestWait)) return void socket.destroy()
    const wait = Math.min(due, longestWait)
    freeAt = now + wait
    meter.pieces = 0
    setTimeout(() => {
      meter.isResting = false
      socket.off("resume", hold)
      if (!socket.destroyed) socket.resume()
    }, wait).unref()
  })
}

/**
 * Accounts for a piece of a request's body. A body in single bytes costs its reader a hundred times what its bytes do, and Node reads
 * two megabytes of a connection before it looks at the others: such connections wait, so that what all of them send takes a part
 * of the time. Where many send as fast as they can, those that go on are cut off.
 */
export const meterPiece = (req: NodeRequest, piece: Uint8Array): void => {
  // Its streams have no connection of their own, and flow control.
  if (piece.length >= smallPiece || isHttp2Request(req)) return
  // What imitates a request has none.
  const socket = req.socket as Socket | undefined
  if (socket === undefined) return
  let meter = meters.get(req)
  if (meter === undefined) meters.set(req, (meter = { pieces: 0, crowds: 0, isResting: false }))
  if (++meter.pieces >= bill && !meter.isResting) rest(socket, meter)
}
