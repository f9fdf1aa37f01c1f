import type { Agent, ClientRequest, IncomingMessage } from "node:http"
import type { LookupFunction } from "node:net"
import { disposeChunk, isDisposable } from "../protocol/disposable-stream.ts"

/** A request for `node:http`. */
export interface NodeRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  /** Pieces are written no faster than they are taken. Of a list of them the length is sent along. */
  readonly body?: string | Uint8Array | ReadonlyArray<Uint8Array> | AsyncIterable<Uint8Array> | undefined
  /** Called for each part of a list of pieces when the connection can take it. */
  readonly onProgress?: (() => void) | undefined
  readonly signal?: AbortSignal | undefined
  /** False: a connection of its own. */
  readonly agent: Agent | false
  /** Finds the addresses of the host where a connection is made. */
  readonly lookup?: LookupFunction | undefined
}

/** An answer whose head has arrived, and whether its connection had served another request before. */
export interface NodeAnswer {
  readonly message: IncomingMessage
  readonly isReused: boolean
}

/** Whether a request failed because the other side closed a kept connection just when it was to be reused. */
export const isStale = (cause: unknown): boolean => (cause as { isStale?: unknown } | undefined)?.isStale === true

/** Answers that announce another one (100, 103) which are read before it. */
const mostAnnounced = 32

/** Most that is written at once of a piece, so that it can be told from a connection that hangs. */
const stride = 256 * 1024

/** Cuts pieces up, and tells of each part when it is asked for. */
async function* cutUp(pieces: ReadonlyArray<Uint8Array>, onProgress: () => void): AsyncGenerator<Uint8Array> {
  for (const piece of pieces) {
    for (let start = 0; start < piece.length; start += stride) {
      onProgress()
      yield piece.subarray(start, start + stride)
    }
  }
}

/** Writes a body, until there is an answer: what comes after that is read by nobody. */
const writePieces = async (outgoing: ClientRequest, pieces: AsyncIterable<Uint8Array>): Promise<void> => {
  Object.assign(outgoing, { strictContentLength: true })
  let isOver = false
  let proceed = () => {}
  // To collect the memory of a large body costs more than to send it.
  const toDone = isDisposable(pieces) ? (piece: Uint8Array) => () => disposeChunk(piece) : () => undefined
  outgoing.on("drain", () => proceed())
  for (const end of ["response", "close"]) {
    outgoing.on(end, () => {
      isOver = true
      proceed()
    })
  }
  try {
    for await (const piece of pieces) {
      if (isOver) return
      if (outgoing.write(piece, toDone(piece))) continue
      await new Promise<void>((resolve) => {
        proceed = resolve
      })
    }
    outgoing.end()
  } catch (cause) {
    outgoing.destroy(cause as Error)
  }
}

/**
 * Sends a request with `node:http` or `node:https`.
 *
 * Fails: rejects with the error of the connection; {@link isStale} tells which of them are worth a second try at once.
 */
export const requestByNode = ({
  url,
  body,
  lookup,
  onProgress = () => {},
  ...options
}: NodeRequest): Promise<NodeAnswer> => {
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http")
  return new Promise((resolve, reject): unknown => {
    const outgoing = request(url, lookup === undefined ? options : { ...options, lookup })
    let readBefore = 0
    outgoing.on("socket", ({ bytesRead }) => {
      readBefore = bytesRead
    })
    outgoing.on("error", (cause) => {
      const isUnanswered = outgoing.reusedSocket && outgoing.socket?.bytesRead === readBefore
      reject(isUnanswered && options.signal?.aborted !== true ? Object.assign(cause, { isStale: true }) : cause)
    })
    let announced = 0
    outgoing.on("information", () => {
      if (++announced > mostAnnounced) outgoing.destroy(new Error("it announces an answer again and again"))
    })
    let isAnswered = false
    // After a 101 that nobody asked for Node says nothing else. It always comes, and an error is dear.
    outgoing.on("close", () => isAnswered || reject(new Error("the connection ended without an answer")))
    outgoing.on("response", (message) => {
      isAnswered = true
      // The connection may break before anybody reads; a later reader gets the error as well.
      message.on("error", () => {})
      // An answer to half a request is the last on its connection.
      message.on("end", () => outgoing.writableEnded || outgoing.destroy())
      resolve({ message, isReused: outgoing.reusedSocket })
    })
    if (body === undefined || typeof body === "string" || body instanceof Uint8Array) return outgoing.end(body)
    if (Symbol.asyncIterator in body) return writePieces(outgoing, body)
    const length = body.reduce((sum, piece) => sum + piece.length, 0)
    // One that is small goes in one write with its headers.
    if (body.length === 1 && length <= stride) return outgoing.end(body[0])
    outgoing.setHeader("content-length", length)
    return writePieces(outgoing, cutUp(body, onProgress))
  })
}
