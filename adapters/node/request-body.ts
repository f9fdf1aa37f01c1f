import { markDisposable } from "../../src/protocol/disposable-stream.ts"
import type { BodyReader, Incoming } from "../../src/server.ts"
import { askForBody, isHeldBack } from "./continue.ts"
import { createChunkJoin, smallChunk } from "./chunk-join.ts"
import { isHttp2Request, type NodeRequest } from "./node-message.ts"
import { meterPiece } from "./small-pieces.ts"

/** Bytes held for a reader that is slower than the sender, before the sender is slowed down. */
const bufferSize = 256 * 1024

/** How many bytes of an unread body are taken in. */
const unreadSize = 64 * 1024

/**
 * How long a body is read that nobody wants, in ms; after a success as long as nginx's `lingering_time` and
 * `lingering_timeout`. After a refusal just long enough for it to arrive: browsers look at an answer once all is sent or the
 * connection breaks, and until then they send for nothing. A client that was not asked for its body only sends it after
 * it has waited too long for an answer.
 */
const patience = { total: 30_000, idle: 5_000, refused: 2_000, heldBack: 1_000 } as const

/** How to make the stream of a request release it. */
const readers = new WeakMap<NodeRequest, () => void>()

/** The part of a body that arrived before anything read it. */
interface Early {
  /** Stops taking in, and returns the bytes so far; the stream continues where it stopped. */
  readonly handOver: () => Uint8Array<ArrayBuffer>
}

const early = new WeakMap<NodeRequest, Early>()

/**
 * Takes in what arrives of a body that is not read yet, at most a little more than Node itself would buffer. Node only
 * counts bytes, but what it holds for a body that arrives in single bytes is four hundred times as much.
 */
export const takeInBody = (req: NodeRequest): void => {
  if (isHttp2Request(req) || !hasBody(req)) return
  // It cannot be cut into many chunks, and usually arrives at once.
  if (Number(req.headers["content-length"]) <= smallChunk) return
  const gathered = createChunkJoin()
  const onData = (chunk: Buffer<ArrayBuffer>): void => {
    meterPiece(req, chunk)
    if (gathered.add(chunk) >= unreadSize) req.pause()
  }
  req.on("data", onData)
  early.set(req, {
    handOver: () => {
      early.delete(req)
      req.off("data", onData)
      return gathered.take()
    },
  })
}

/** Whether it was read only by {@link takeInBody}. */
export const isTakenIn = (req: NodeRequest): boolean => early.has(req)

/** Whether the message announces a body: without these headers there is none (RFC 9112 §6.3). */
export const hasBody = (req: NodeRequest): boolean =>
  isHttp2Request(req)
    ? !req.stream.endAfterHeaders
    : req.headers["transfer-encoding"] !== undefined || Number(req.headers["content-length"] ?? 0) > 0

/** Bytes that a piece counts for: however small it is, it costs memory to hold it. */
const weigh = (piece: Uint8Array): number => Math.max(piece.byteLength, 512)

const theEnd = { done: true } as const

/**
 * Reads the body of a request with back-pressure.
 *
 * Nothing is read before the first piece is asked for. Cancelling leaves the connection alone (`Readable.toWeb` would
 * destroy it, and the answer with it). When the client leaves, the reading fails after what has arrived.
 */
const readBody = (req: NodeRequest): BodyReader => {
  const small = createChunkJoin()
  let pieces: Array<Uint8Array<ArrayBuffer>> = []
  let weight = 0
  let timer: NodeJS.Immediate | undefined
  let asked: PromiseWithResolvers<Awaited<ReturnType<BodyReader["read"]>>> | undefined
  let state: "new" | "open" | "ended" | { readonly cause: Error } = "new"

  const release = () => {
    clearImmediate(timer)
    readers.delete(req)
    req.off("data", onData).off("end", onEnd).off("error", onLeft).off("close", onLeft)
  }
  const give = () => {
    if (asked === undefined) return
    const piece = pieces.shift()
    if (piece !== undefined) {
      weight -= weigh(piece)
      asked.resolve({ done: false, value: piece })
    } else if (state === "ended") asked.resolve(theEnd)
    else if (typeof state === "object") asked.reject(state.cause)
    else return
    asked = undefined
  }
  const pass = (piece: Uint8Array<ArrayBuffer>) => {
    if (piece.length === 0) return
    pieces.push(piece)
    weight += weigh(piece)
    give()
    if (weight >= bufferSize) req.pause()
  }
  const flush = () => {
    clearImmediate(timer)
    timer = undefined
    pass(small.take())
  }
  const finish = (how: typeof state) => {
    release()
    state = how
    give()
  }
  const onData = (chunk: Buffer<ArrayBuffer>) => {
    meterPiece(req, chunk)
    // Most small bodies have only one.
    const isLast = req.complete && req.readableLength === 0
    if (chunk.length < smallChunk && !isLast) {
      small.add(chunk)
      // Not as a microtask: those run between any two chunks.
      timer ??= setImmediate(flush)
      return
    }
    flush()
    pass(new Uint8Array(chunk.buffer, chunk.byteOffset, chunk.byteLength))
  }
  const onEnd = () => {
    flush()
    finish("ended")
  }
  const onLeft = (cause?: Error) =>
    finish({ cause: new Error("The client closed the connection before the request's body was complete.", { cause }) })

  const open = () => {
    askForBody(req)
    const before = early.get(req)?.handOver()
    if (req.destroyed && !req.readableEnded) return onLeft(req.errored ?? undefined)
    state = req.readableEnded ? "ended" : "open"
    if (before !== undefined) pass(before)
    if (state === "ended") return
    readers.set(req, () => {
      pieces = []
      finish({ cause: new Error("The request was answered before its body was read.") })
    })
    req.on("data", onData).on("end", onEnd).on("error", onLeft).on("close", onLeft)
  }

  return {
    read: () => {
      const { promise } = (asked = Promise.withResolvers())
      if (state === "new") open()
      give()
      if (asked !== undefined) req.resume()
      return promise
    },
    cancel: async () => {
      pieces = []
      if (state === "open") req.pause()
      finish("ended")
    },
  }
}

/** The body of a request, read as {@link BodyReader} says. Node's parser gives each piece memory of its own. */
class NodeBody {
  locked = false
  readonly #req: NodeRequest
  constructor(req: NodeRequest) {
    this.#req = req
  }
  getReader(): BodyReader {
    this.locked = true
    return readBody(this.#req)
  }
}
markDisposable(NodeBody.prototype)

export const toBody = (req: NodeRequest): NonNullable<Incoming["body"]> => new NodeBody(req)

/** A stream in which nothing waits: each piece is read when the stream's reader asks for one. */
export const toStream = ({ read, cancel }: BodyReader): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream(
    {
      pull: async (controller) => {
        const { done, value } = await read()
        if (done) controller.close()
        else controller.enqueue(value)
      },
      cancel,
    },
    { highWaterMark: 0 },
  )

/** {@link toBody} as a stream. */
export const toBodyStream = (req: NodeRequest): ReadableStream<Uint8Array<ArrayBuffer>> =>
  markDisposable(toStream(readBody(req)))

/**
 * Reads and discards the rest of a body, so that a client that is still sending gets to see its answer: closing a
 * socket with unread bytes resets it, and a reset may overtake the answer.
 *
 * Resolves when the body is complete, the client has disconnected or is silent for 5 s (1 s when it was never asked
 * for its body), or 30 s have passed, 2 s where the answer is a refusal.
 */
export const discardBody = (req: NodeRequest, isRefused = false): Promise<void> => {
  readers.get(req)?.()
  early.get(req)?.handOver()
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
    const total = setTimeout(finish, isRefused ? patience.refused : patience.total).unref()
    const idle = setTimeout(finish, isHeldBack(req) ? patience.heldBack : patience.idle).unref()
    const onData = (chunk: Uint8Array) => {
      meterPiece(req, chunk)
      idle.refresh()
    }
    req.on("data", onData).on("end", finish).on("error", finish).on("close", finish)
    req.resume()
  })
}
