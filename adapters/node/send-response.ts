import type { ServerResponse } from "node:http"
import { disposeChunk, isDisposable } from "../../src/protocol.ts"
import { isHttp2Request, type NodeRequest, type NodeResponse } from "./node-message.ts"
import { discardBody, hasBody } from "./request-body.ts"

/** The framing is Node's to choose, and HTTP/2 forbids these (RFC 9113 §8.2.2). */
const framing = new Set(["connection", "keep-alive", "proxy-connection", "transfer-encoding", "upgrade"])

/** Adds the status and headers to what middleware in front has set; cookies and `vary` of both survive. */
const setHead = (res: ServerResponse, response: Response): void => {
  res.statusCode = response.status
  const isHttp1 = !isHttp2Request(res.req)
  if (isHttp1 && response.statusText !== "") res.statusMessage = response.statusText
  for (const [name, value] of response.headers) {
    if (framing.has(name) && (name === "transfer-encoding" || !isHttp1)) continue
    if (name === "set-cookie" || name === "vary") res.appendHeader(name, value)
    else res.setHeader(name, value)
  }
}

/** Whether nobody is there to write to; an HTTP/2 response has no `destroyed`. */
const isGone = (res: ServerResponse): boolean => {
  const { req }: { req: NodeRequest } = res
  return isHttp2Request(req) ? req.stream.destroyed : res.destroyed
}

/** Room to write again, or nobody there to write to. */
const writable = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    const done = () => {
      res.off("drain", done).off("close", done)
      resolve()
    }
    res.on("drain", done).on("close", done)
  })

/** Streams a body and ends the response. A body that is there at once goes out with its length, in one piece. */
const writeBody = async (res: ServerResponse, body: ReadableStream<Uint8Array>): Promise<void> => {
  const reader = body.getReader()
  res.once("close", () => void reader.cancel(new Error("The client closed the connection.")).catch(() => {}))
  const dispose = isDisposable(body) ? disposeChunk : undefined
  let held: Uint8Array | undefined
  let isHolding = true
  const release = () => {
    isHolding = false
    if (isGone(res)) return
    if (held === undefined) res.flushHeaders()
    else res.write(held)
    held = undefined
  }
  const timer = setImmediate(release)
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (isGone(res)) return
      if (done) break
      if (isHolding && held === undefined) {
        held = value
        continue
      }
      if (isHolding) release()
      if (!res.write(value, dispose && (() => dispose(value)))) await writable(res)
    }
    if (held === undefined) res.end()
    else res.end(held)
  } finally {
    clearImmediate(timer)
  }
}

/** Resolves when the response is handed to the system completely, or never will be. */
const finished = (res: ServerResponse): Promise<void> =>
  new Promise((resolve) => {
    if (isGone(res) || res.writableFinished) resolve()
    else res.once("finish", resolve).once("close", resolve)
  })

/** Whether a client could be sending for long. What is short is awaited instead, for the connection's sake. */
const isSendingMuch = (req: NodeRequest): boolean =>
  !isHttp2Request(req) && hasBody(req) && !req.complete && !(Number(req.headers["content-length"]) <= 64 * 1024)

/**
 * An error while the client is still sending: a large upload refused at its first bytes, say. The answer goes out
 * with its length and `connection: close`, what the client goes on sending is read for a while, and only then is the
 * socket closed.
 */
const sendRefusal = async (res: ServerResponse, response: Response): Promise<void> => {
  const body = new Uint8Array(await response.arrayBuffer())
  res.setHeader("connection", "close")
  res.setHeader("content-length", body.byteLength)
  res.flushHeaders()
  if (res.req.method !== "HEAD") res.write(body)
  await discardBody(res.req)
  res.end()
}

/**
 * Writes a web Response to a Node response.
 *
 * Streams with back-pressure; cancels the body when the client leaves; destroys the connection when the body fails,
 * so that the client does not take a part for the whole. HEAD, 204 and 304 go without a body. Headers that middleware
 * has set before stay. Resolves when all is sent or the client has left; never rejects.
 */
export const sendResponse = async (target: NodeResponse, response: Response): Promise<void> => {
  // The compatibility API of HTTP/2 answers to the same names; its types do not say so.
  const res = target as ServerResponse
  const req: NodeRequest = res.req
  const body = response.body
  const ignore = () => {}
  if (res.headersSent || isGone(res)) {
    await body?.cancel().catch(ignore)
    return
  }
  res.on("error", ignore)
  try {
    setHead(res, response)
    if (response.status >= 400 && isSendingMuch(req)) {
      await sendRefusal(res, response)
    } else if (body === null || req.method === "HEAD") {
      res.end()
      await body?.cancel().catch(ignore)
    } else {
      await writeBody(res, body)
    }
  } catch (error) {
    res.destroy(error instanceof Error ? error : new Error("The response's body failed.", { cause: error }))
    return
  }
  await finished(res)
  await discardRest(req)
}

/** The answer is complete and the request may not be: takes what comes for a while, then closes the connection. */
const discardRest = async (req: NodeRequest): Promise<void> => {
  if (req.complete || req.destroyed) return
  if (isHttp2Request(req)) return req.stream.close()
  await discardBody(req)
  if (!req.complete) req.destroy()
}
