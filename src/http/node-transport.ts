import type { Agent, IncomingMessage } from "node:http"
import { names } from "../protocol/names.ts"
import { isStale, type NodeAnswer, type NodeRequest, requestByNode } from "./node-request.ts"
import type { HttpAnswer, Send, Transport } from "./transport.ts"

/** How long a connection that is not in use is kept for the next request, ms; servers keep theirs 5 s and more. */
const idleTime = 4000

/**
 * Connections to one origin at the same time; further requests wait, and their time runs. So it is more than an ingest
 * sends to one app at once: an app that hangs holds what its callbacks may hold, and what is sent is not kept waiting here.
 */
const socketsPerOrigin = 256

/** The connections that are kept. Those not in use keep no process alive. */
export interface Agents {
  readonly of: (url: URL) => Agent
  readonly close: () => void
}

/** Keeps connections for later requests, until it is closed. */
export const createAgents = (): Agents => {
  const options = { keepAlive: true, timeout: idleTime, maxSockets: socketsPerOrigin }
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

const toAnswer = (message: IncomingMessage, signal: AbortSignal): HttpAnswer => ({
  status: message.statusCode ?? 0,
  headers: { get: (name) => message.headers[name.toLowerCase()]?.toString() ?? null },
  read: (take) =>
    new Promise((resolve, reject) => {
      const fail = () => reject(signal.aborted ? signal.reason : new Error("the connection broke off within it"))
      if (message.closed) return fail()
      message.on("data", (piece: Uint8Array) => {
        if (take(piece)) return
        resolve()
        message.destroy()
      })
      message.on("end", resolve)
      message.on("close", fail)
    }),
  giveUp: () => void message.destroy(),
})

/** What is sent beside the headers of a request: nobody here unpacks an answer. */
const ownHeaders = { accept: "*/*", "accept-encoding": "identity", "user-agent": names.word }

/**
 * Sends requests with `node:http`, over connections that are kept. One that was closed just when it was to be reused is
 * replaced at once, where no byte of an answer came.
 *
 * @param request sends one; may choose the addresses that it connects to
 */
export const sendByNode =
  (agents: Agents, request: (request: NodeRequest) => Promise<NodeAnswer> = requestByNode): Send =>
  async ({ url: href, headers, ...asked }) => {
    const url = new URL(href)
    const outgoing = { ...asked, url, headers: { ...ownHeaders, ...headers }, agent: agents.of(url) }
    try {
      const { message } = await request(outgoing).catch((cause: unknown) => {
        if (!isStale(cause)) throw cause
        return request({ ...outgoing, agent: false })
      })
      return toAnswer(message, asked.signal)
    } catch (cause) {
      throw asked.signal.aborted ? asked.signal.reason : cause
    }
  }

/** A {@link Transport} over `node:http`. */
export const createNodeTransport = (): Transport => {
  const agents = createAgents()
  return { send: sendByNode(agents), close: agents.close }
}
