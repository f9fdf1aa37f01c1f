import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import type { Http2Server } from "node:http2"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach } from "vitest"
import { toNodeListener } from "../../../adapters/node.ts"
import { toStream } from "../../../adapters/node/request-body.ts"
import type { Answer, Incoming } from "../../../src/server.ts"

const cleanUps: Array<() => unknown> = []

/** Runs after the test that is running. */
export const onEnd = (cleanUp: () => unknown): void => void cleanUps.push(cleanUp)

afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0).reverse()) await cleanUp()
})

/** Lets a server listen until the test ends; its port. */
export const listen = async (server: Server | Http2Server): Promise<number> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  onEnd(() => {
    if ("closeAllConnections" in server) server.closeAllConnections()
    server.close()
  })
  return (server.address() as AddressInfo).port
}

type Fetch = (request: Request) => Response | Promise<Response>

/** What an {@link Incoming} has, in the place of what a `Request` has. */
const asRequest = (incoming: Incoming): Request => {
  const body = incoming.body && toStream(incoming.body.getReader())
  const read = new Request(incoming.url, { method: incoming.method, body, duplex: "half" } as RequestInit)
  return new Proxy(read, {
    get: (request, name) => {
      if (name === "headers") return incoming.headers
      if (name === "signal") return incoming.toRequest!().signal
      const value = Reflect.get(request, name, request) as unknown
      return typeof value === "function" ? value.bind(request) : value
    },
  })
}

const toAnswer = ({ status, headers, body }: Response): Answer => ({
  status,
  headers: Object.fromEntries(headers),
  body,
})

/** The two ways from a Node server to a handler. */
export const doors = {
  "as a Request": (fetch: Fetch) => fetch,
  "as an Incoming": (fetch: Fetch) => ({
    respond: async (incoming: Incoming) => toAnswer(await fetch(asRequest(incoming))),
  }),
} as const

export type Door = keyof typeof doors

/** The name of each of {@link doors}, for `describe.each`. */
export const bothDoors = Object.keys(doors) as ReadonlyArray<Door>

export const serve = (fetch: Fetch, door: Door = "as a Request"): Promise<number> =>
  listen(createServer(toNodeListener(doors[door](fetch))))

export const serveRaw = (listener: RequestListener): Promise<number> => listen(createServer(listener))

export const dial = async (port: number): Promise<Socket> => {
  const socket = connect(port, "127.0.0.1")
  onEnd(() => socket.destroy())
  await once(socket, "connect")
  return socket
}

/** Sends one request as text and reads until the server closes. */
export const speak = async (port: number, text: string): Promise<string> => {
  const socket = await dial(port)
  socket.write(text)
  let answer = ""
  for await (const chunk of socket.setEncoding("latin1")) answer += chunk
  return answer
}
