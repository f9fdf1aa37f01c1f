import { once } from "node:events"
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { onTestFinished } from "vitest"

/** What an upstream saw of a request, at the moment its headers came; `bytes` grows with the body. */
export interface Seen {
  readonly upstream: number
  readonly method: string
  readonly url: string
  readonly headers: IncomingMessage["headers"]
  bytes: number
}

/** How an upstream behaves: it answers, cuts the connection once it has something of the request, or is about to stop. */
export type Mode = "answers" | "cuts" | "stops"

/** One of several servers that stand for ingests. */
export interface Upstream {
  readonly port: number
  mode: Mode
  /** From now on connections are refused. */
  readonly refuse: () => Promise<void>
}

const listen = async (listener: (request: IncomingMessage, response: ServerResponse) => void): Promise<Server> => {
  const server = createServer(listener).listen(0, "127.0.0.1")
  await once(server, "listening")
  return server
}

/** Three servers, and all that they see but questions whether they are ready. */
export const startUpstreams = async () => {
  const seen: Array<Seen> = []
  const upstreams: Array<Upstream> = []
  for (const index of [0, 1, 2]) {
    const server = await listen((request, response) => {
      const { mode } = upstreams[index]!
      const status = mode === "stops" ? 503 : 200
      if (request.url === "/ready") return void response.writeHead(status).end()
      const one = { upstream: index, method: request.method!, url: request.url!, headers: request.headers, bytes: 0 }
      seen.push(one)
      const cut = (): void => void request.socket.destroy()
      request.on("data", (chunk: Buffer) => {
        one.bytes += chunk.length
        if (mode === "cuts") cut()
      })
      request.on("error", () => {})
      request.on("end", () => {
        if (mode === "cuts") cut()
        else response.writeHead(status, { "x-upstream": String(index), "retry-after": "7" }).end()
      })
    })
    const close = async (): Promise<void> => {
      if (!server.listening) return
      const closed = once(server, "close")
      server.close()
      server.closeAllConnections()
      await closed
    }
    onTestFinished(close)
    upstreams.push({ port: (server.address() as AddressInfo).port, mode: "answers", refuse: close })
  }
  return { seen, upstreams }
}
