import { markDisposable } from "../../src/protocol.ts"
import { isHttp2Request, type NodeRequest } from "./node-message.ts"

/** Bytes held for a reader that is slower than the sender, before the sender is slowed down. */
const bufferSize = 256 * 1024

/** As long as nginx's `lingering_time` and `lingering_timeout`, in ms. */
const patience = { total: 30_000, idle: 5_000 } as const

/** How to make the stream of a request let go of it. */
const readers = new WeakMap<NodeRequest, () => void>()

/** Whether the message announces a body: without these headers there is none (RFC 9112 §6.3). */
export const hasBody = (req: NodeRequest): boolean =>
  isHttp2Request(req)
    ? !req.stream.endAfterHeaders
    : req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0

/**
 * The body of a request as a stream with back-pressure.
 *
 * Nothing is read before the first pull. Cancelling it leaves the connection alone (`Readable.toWeb` would destroy
 * it, and the answer with it). When the client leaves, the stream errors.
 */
export const toBodyStream = (req: NodeRequest): ReadableStream<Uint8Array<ArrayBuffer>> => {
  let start: ((controller: ReadableStreamDefaultController<Uint8Array<ArrayBuffer>>) => void) | undefined = (
    controller,
  ) => {
    const release = () => {
      readers.delete(req)
      req.off("data", onData).off("end", onEnd).off("error", onLeft).off("close", onLeft)
    }
    const onData = (chunk: Buffer<ArrayBuffer>) => {
      controller.enqueue(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength))
      if (controller.desiredSize! <= -bufferSize) req.pause()
    }
    const onEnd = () => {
      release()
      controller.close()
    }
    const onLeft = (cause?: Error) => {
      release()
      controller.error(new Error("The client closed the connection before the request's body was complete.", { cause }))
    }
    if (req.destroyed && !req.readableEnded) return onLeft(req.errored ?? undefined)
    readers.set(req, () => {
      release()
      controller.error(new Error("The request was answered before its body was read."))
    })
    detach = () => {
      release()
      req.pause()
    }
    req.on("data", onData).on("end", onEnd).on("error", onLeft).on("close", onLeft)
  }
  let detach = () => {}
  const stream = new ReadableStream<Uint8Array<ArrayBuffer>>(
    {
      pull(controller) {
        start?.(controller)
        start = undefined
        req.resume()
      },
      cancel() {
        start = undefined
        detach()
      },
    },
    // Zero: pulled only when somebody reads and nothing is queued.
    { highWaterMark: 0, size: (chunk) => chunk.byteLength },
  )
  // Node's parser gives each chunk memory of its own.
  return markDisposable(stream)
}

/**
 * Reads and forgets what is left of a body, so that a client that is still sending comes to see its answer:
 * closing a socket with unread bytes resets it, and a reset may overtake the answer.
 *
 * Resolves when the body is complete, the client has left or is silent for 5 s, or 30 s have passed.
 */
export const discardBody = (req: NodeRequest): Promise<void> => {
  readers.get(req)?.()
  if (req.complete || req.destroyed) {
    req.resume()
    return Promise.resolve()
  }
  return new Promise((resolve) => {
    const finish = () => {
      clearTimeout(total)
      clearTimeout(idle)
      req.off("data", onData).off("end", finish).off("error", finish).off("close", finish)
      resolve()
    }
    const total = setTimeout(finish, patience.total).unref()
    const idle = setTimeout(finish, patience.idle).unref()
    const onData = () => void idle.refresh()
    req.on("data", onData).on("end", finish).on("error", finish).on("close", finish)
    req.resume()
  })
}
