import { createServer, connect } from "node:net"
import type { AddressInfo, Socket } from "node:net"
import type { Served } from "../suite/suite.ts"

/** Passes bytes on, and breaks the first connection that has sent so many. */
export const breakOnce = async (origin: string, bytes: number): Promise<Served> => {
  const { hostname, port } = new URL(origin)
  const sockets = new Set<Socket>()
  let isBroken = false
  const server = createServer((incoming) => {
    const outgoing = connect(Number(port), hostname)
    let sent = 0
    incoming.on("data", (chunk) => {
      sent += chunk.length
      if (isBroken || sent < bytes) return
      isBroken = true
      incoming.destroy()
      outgoing.destroy()
    })
    for (const [from, to] of [[incoming, outgoing] as const, [outgoing, incoming] as const]) {
      sockets.add(from)
      from.pipe(to)
      from.on("error", () => to.destroy())
      from.on("close", () => to.destroy())
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
