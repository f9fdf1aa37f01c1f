import type { Agent, IncomingMessage } from "node:http"
import { names } from "../protocol/names.ts"
import { isStale, type NodeAnswer, type NodeRequest, requestByNode } from "./node-request.ts"
import type { HttpAnswer, Transport } from "./transport.ts"

/** How long a connection that is not in use is kept for the next request, ms; servers keep theirs 5 s and more. */
const idleTime = 4000

/** The connections that are kept. Those not in use keep no process alive. */
export interface Agents {
  readonly of: (url: URL) => Agent
  readonly close: () => void
}

/**
 * Keeps connections for later requests, until it is closed.
 *
 * @param maxSockets connections to one origin at the same time; further requests wait
 */
export const createAgents = (maxSockets: number): Agents => {
  const options = { keepAlive: true, timeout: idleTime, maxSockets }
  const agents = new Map<string, Agent>()
  const create = (protocol: string): Agent => {
    const agent = new (process.getBuiltinModule(protocol === "https:" ? "node:https" : "node:http").Agent)(options)
    agents.set(protocol, agent)
    return agent
  }
  return {
    of: ({ protocol }) => agents.get(protocol) ?? create(protocol),
    close: () => agents.forEach((agent) => agent.destroy()),
  }
}

/** Why reading an answer failed. */
const toBreak = (signal: AbortSignal | undefined): unknown =>
  signal?.aborted === true ? signal.reason : new Error("the connection broke off within it")

const toStream = (message: IncomingMessage, signal: AbortSignal | undefined): ReadableStream<Uint8Array> => {
  let isOver = false
  const start = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    const end = (isWhole: boolean): void => {
      if (isOver) return
      isOver = true
      if (isWhole) controller.close()
      else controller.error(toBreak(signal))
    }
    if (message.closed) return end(false)
    message.on("data", (piece: Uint8Array) => {
      if (isOver) return
      controller.enqueue(piece)
      if (controller.desiredSize! <= 0) message.pause()
    })
    message.on("end", () => end(true))
    message.on("close", () => end(message.readableEnded))
    message.pause()
  }
  const cancel = (): void => {
    isOver = true
    message.destroy()
  }
  return new ReadableStream({ start, pull: () => void message.resume(), cancel }, { highWaterMark: 0 })
}

const toAnswer = (message: IncomingMessage, signal: AbortSignal | undefined): HttpAnswer => ({
  status: message.statusCode ?? 0,
  headers: { get: (name) => message.headers[name.toLowerCase()]?.toString() ?? null },
  read: (take) =>
    new Promise((resolve, reject) => {
      const fail = () => reject(toBreak(signal))
      if (message.closed) return fail()
      message.on("data", (piece: Uint8Array) => {
        if (take(piece)) return
        resolve()
        message.destroy()
      })
      message.on("end", resolve)
      // It always comes, and an error is dear.
      message.on("close", () => message.readableEnded || fail())
    }),
  stream: () => toStream(message, signal),
  giveUp: () => void message.destroy(),
})

/** What is sent beside the headers of a request: nobody here unpacks an answer. */
const ownHeaders = { accept: "*/*", "accept-encoding": "identity", "user-agent": names.word }

/**
 * Sends a request with `node:http`, over a connection that is kept. One that was closed just when it was to be reused is
 * replaced at once, where no byte of an answer came and the request may be sent again.
 *
 * @param request sends it; may choose the addresses that it connects to
 */
export const askByNode = async (
  agents: Agents,
  {
    headers,
    isSentOnce,
    ...asked
  }: Omit<NodeRequest, "agent" | "lookup"> & { readonly isSentOnce?: boolean | undefined },
  request: (request: NodeRequest) => Promise<NodeAnswer> = requestByNode,
): Promise<HttpAnswer> => {
  const { url, signal } = asked
  const outgoing = { ...asked, headers: { ...ownHeaders, ...headers }, agent: agents.of(url) }
  try {
    const { message } = await request(outgoing).catch((cause: unknown) => {
      if (isSentOnce === true || !isStale(cause)) throw cause
      return request({ ...outgoing, agent: false })
    })
    return toAnswer(message, signal)
  } catch (cause) {
    throw signal?.aborted === true ? signal.reason : cause
  }
}

/** A {@link Transport} over `node:http`. */
export const createNodeTransport = (maxSockets: number): Transport => {
  const agents = createAgents(maxSockets)
  return { send: ({ url, ...request }) => askByNode(agents, { ...request, url: new URL(url) }), close: agents.close }
}
