import type { Agent, IncomingMessage } from "node:http"
import type { LookupFunction } from "node:net"

/** A request for `node:http`. */
export interface NodeRequest {
  readonly url: URL
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string | undefined
  readonly signal: AbortSignal
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

/**
 * Sends a request with `node:http` or `node:https`.
 *
 * Fails: rejects with the error of the connection; {@link isStale} tells which of them are worth a second try at once.
 */
export const requestByNode = ({ url, body, lookup, ...options }: NodeRequest): Promise<NodeAnswer> => {
  const { request } = process.getBuiltinModule(url.protocol === "https:" ? "node:https" : "node:http")
  return new Promise((resolve, reject) => {
    const outgoing = request(url, lookup === undefined ? options : { ...options, lookup })
    let readBefore = 0
    outgoing.on("socket", ({ bytesRead }) => {
      readBefore = bytesRead
    })
    outgoing.on("error", (cause) => {
      const isUnanswered = outgoing.reusedSocket && outgoing.socket?.bytesRead === readBefore
      reject(isUnanswered && !options.signal.aborted ? Object.assign(cause, { isStale: true }) : cause)
    })
    outgoing.on("response", (message) => {
      // The connection may break before anybody reads; a later reader gets the error as well.
      message.on("error", () => {})
      resolve({ message, isReused: outgoing.reusedSocket })
    })
    outgoing.end(body)
  })
}
