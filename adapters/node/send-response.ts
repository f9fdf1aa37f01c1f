import type { ServerResponse } from "node:http"
import type { Answer } from "../../src/server.ts"
import { disposeChunk, isDisposable } from "../../src/protocol/disposable-stream.ts"
import { isHeldBack } from "./continue.ts"
import { isGone, isHttp2Request, type NodeRequest, type NodeResponse } from "./node-message.ts"
import { discardBody, hasBody } from "./request-body.ts"

/** Node chooses the framing, and HTTP/2 forbids these headers (RFC 9113 §8.2.2). */
const framing = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"])

/** What is sent, of a Response or of an {@link Answer}. */
interface Sending {
  readonly status: number
  readonly statusText: string
  readonly headers: Iterable<readonly [name: string, value: string]>
  readonly body: Answer["body"]
  /** Bytes of the body, where the headers announce them. */
  readonly announced: string | null
}

/**
 * Adds the status and headers to those that earlier middleware has set; cookies and `vary` of both survive.
 *
 * Fails: throws on a status or header that cannot be sent.
 */
const setHead = (res: ServerResponse, { status, statusText, headers }: Sending): void => {
  res.statusCode = status
  const isHttp1 = !isHttp2Request(res.req)
  if (isHttp1 && statusText !== "") res.statusMessage = statusText
  for (const [name, value] of headers) {
    if (framing.has(name) && (name === "transfer-encoding" || !isHttp1)) continue
    if (name === "set-cookie" || name === "vary") res.appendHeader(name, value)
    else res.setHeader(name, value)
  }
}

/** Breaks the connection, so that a client does not take a part of the answer for the whole. */
const destroy = (res: ServerResponse, error: unknown): void => {
  try {
    res.destroy(error instanceof Error ? error : new Error("The response's body failed.", { cause: error }))
  } catch {
    // whatever it is, nothing more can be done for this one
  }
}

/** Resolves when there is room to write again, or the client has disconnected. */
const writable = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      res.off("drain", done).off("close", done)
      resolve()
    }
    res.on("drain", done).on("close", done)
  })

/** Resolves when the system has taken the piece, or the client has disconnected. The piece's memory is freed where possible. */
const writePiece = (res: ServerResponse, piece: Uint8Array, dispose: (piece: Uint8Array) => void): Promise<void> =>
  new Promise((resolve) => {
    const close = () => resolve()
    res.once("close", close)
    const hasRoom = res.write(piece, (failure) => {
      dispose(piece)
      // The event `close` reports a broken connection.
      if (failure) return
      res.off("close", close)
      resolve()
    })
    // Middleware that has replaced `write`, such as a compressor, need not call back.
    if (Object.hasOwn(res, "write")) void (hasRoom ? resolve() : writable(res).then(resolve))
  })

/**
 * Streams a body and ends the response. A body that is available at once is sent with its length, in one piece.
 *
 * The next piece is requested when the system has taken the previous one, and the end of a body with an announced
 * length when the system has taken all of it. So the producer of the body knows how fast the client takes it, and at
 * most one piece waits here. A body that fails while a piece waits breaks the connection at once.
 */
const writeBody = async (res: ServerResponse, body: ReadableStream<Uint8Array>, announced: string | null) => {
  const reader = body.getReader()
  const ignore = () => {}
  const dispose = isDisposable(body) ? disposeChunk : ignore
  let left = announced === null ? Number.NaN : Number(announced)
  let isRead = false
  res.once("close", () => {
    if (!isRead && left !== 0) void reader.cancel(new Error("The client closed the connection.")).catch(ignore)
  })
  reader.closed.catch((cause: unknown) => destroy(res, cause))
  let held: Uint8Array | undefined
  let isHolding = true
  const release = () => {
    isHolding = false
    if (isGone(res)) return
    if (held === undefined) res.flushHeaders()
    else res.write(held)
    held = undefined
  }
  // No caller can catch what this one throws.
  const timer = setImmediate(() => {
    try {
      release()
    } catch (error) {
      destroy(res, error)
    }
  })
  try {
    for (;;) {
      const { done, value } = await reader.read()
      isRead = done
      if (isGone(res)) {
        if (!done) dispose(value)
        return
      }
      if (done) break
      left -= value.byteLength
      if (isHolding && held === undefined && Number.isNaN(left)) {
        held = value
        continue
      }
      if (held !== undefined) release()
      isHolding = false
      const taken = writePiece(res, value, dispose)
      if (left === 0) {
        res.end()
        await finished(res)
        // A body with an announced length has nothing more to say; one that continues all the same is not waited for.
        void reader.read().then((rest) => (rest.done ? undefined : reader.cancel()), ignore)
        return
      }
      await taken
    }
    if (held === undefined) res.end()
    else res.end(held)
  } finally {
    clearImmediate(timer)
  }
}

/** Resolves when the response was handed to the system completely, or never will be. */
const finished = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (isGone(res) || res.writableFinished) resolve()
    else res.once("finish", resolve).once("close", resolve)
  })

/**
 * Whether a client could be sending for long. A short body is awaited instead, to keep the connection; but not from a
 * client that was never asked for it, because it is not known whether a body or a request comes next.
 */
const isSendingMuch = (req: NodeRequest): boolean =>
  !isHttp2Request(req) &&
  hasBody(req) &&
  !req.complete &&
  (isHeldBack(req) || !(Number(req.headers["content-length"]) <= 64 * 1024))

/**
 * An error while the client is still sending, such as a large upload refused at its first bytes. The answer is sent
 * with its length and `connection: close`, what the client still sends is read for a while, and only then is the
 * socket closed.
 */
const sendRefusal = async (res: ServerResponse, sent: Sending["body"]): Promise<void> => {
  const body = new Uint8Array(await new Response(sent as BodyInit | null).arrayBuffer())
  res.setHeader("connection", "close")
  res.setHeader("content-length", body.byteLength)
  res.flushHeaders()
  if (res.req.method !== "HEAD") res.write(body)
  await discardBody(res.req, true)
  res.end()
}

/** The answer where the handler's own cannot be sent. */
const sendFault = (res: ServerResponse, error: unknown): void => {
  console.error(error)
  for (const name of res.getHeaderNames()) res.removeHeader(name)
  res.statusCode = 500
  if (!isHttp2Request(res.req)) res.statusMessage = ""
  res.end()
}

/** Ends the reading of a body that nobody gets. */
const giveUp = async (body: Sending["body"]): Promise<void> => {
  if (isStream(body)) await body.cancel().catch(() => {})
}

const isStream = (body: Sending["body"]): body is ReadableStream<Uint8Array> =>
  typeof body === "object" && body !== null && "getReader" in body

const send = async (res: ServerResponse, sending: Sending): Promise<void> => {
  const req: NodeRequest = res.req
  const { status, body, announced } = sending
  if (res.headersSent || isGone(res)) return giveUp(body)
  res.on("error", () => {})
  try {
    setHead(res, sending)
  } catch (error) {
    sendFault(res, error)
    await giveUp(body)
    return discardRest(req)
  }
  if (status >= 400 && isSendingMuch(req)) {
    await sendRefusal(res, body)
  } else if (body === null || req.method === "HEAD") {
    res.end()
    await giveUp(body)
  } else if (isStream(body)) {
    await writeBody(res, body, announced)
  } else {
    res.end(body)
  }
  await finished(res)
  await discardRest(req)
}

/**
 * Sends, or breaks the connection where it cannot. The compatibility API of HTTP/2 has the same names, but its types do not say so.
 *
 * @param read throws where it was given something else than its type says
 */
const sendSafely = async (target: NodeResponse, read: () => Sending): Promise<void> => {
  const res = target as ServerResponse
  try {
    let sending: Sending
    try {
      sending = read()
    } catch (error) {
      if (!res.headersSent && !isGone(res)) sendFault(res, error)
      return await discardRest(res.req)
    }
    await send(res, sending)
  } catch (error) {
    destroy(res, error)
  }
}

/**
 * Writes a web Response to a Node response.
 *
 * Streams with back-pressure; cancels the body when the client disconnects; destroys the connection when the body
 * fails, so that the client does not take a part for the whole. HEAD, 204 and 304 are sent without a body. Headers
 * that middleware has set before are kept. A header that HTTP cannot carry is printed, and the answer is an empty 500.
 * Resolves when everything is sent or the client has disconnected; never rejects.
 */
export const sendResponse = (res: NodeResponse, response: Response): Promise<void> =>
  sendSafely(res, () => {
    const { status, statusText, headers, body } = response
    return { status, statusText, headers, body, announced: headers.get("content-length") }
  })

/** Writes an answer to a Node response, in the same way. What it has as text or bytes is sent at once, with its length. */
export const sendAnswer = (res: NodeResponse, answer: Answer): Promise<void> =>
  sendSafely(res, () => {
    const { status, headers, body } = answer
    return {
      status,
      statusText: "",
      headers: Object.entries(headers),
      body,
      announced: headers["content-length"] ?? null,
    }
  })

/** The answer is complete but the request may not be: reads what arrives for a while, then closes the connection. */
const discardRest = async (req: NodeRequest): Promise<void> => {
  if (req.complete || req.destroyed) return
  if (isHttp2Request(req)) return req.stream.close()
  await discardBody(req)
  if (!req.complete) req.destroy()
}
