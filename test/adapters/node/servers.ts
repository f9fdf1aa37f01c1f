import { once } from "node:events"
import { createServer, type RequestListener, type Server } from "node:http"
import type { Http2Server } from "node:http2"
import { type AddressInfo, connect, type Socket } from "node:net"
import { afterEach } from "vitest"
import { toNodeListener } from "../../../adapters/node.ts"

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

export const serve = (fetch: (request: Request) => Response | Promise<Response>): Promise<number> =>
  listen(createServer(toNodeListener(fetch)))

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
