import { once } from "node:events"
import { createServer, type Server } from "node:http"
import type { AddressInfo } from "node:net"

/** Listens on a free port of the loopback interface. */
export const listen = async (server: Server): Promise<{ origin: string; close: () => Promise<void> }> => {
  server.listen(0, "127.0.0.1")
  await once(server, "listening")
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, "close")
    },
  }
}

/** A port that was free a moment ago, for programs that must know their address before they listen. */
export const findFreePort = async (): Promise<number> => {
  const { origin, close } = await listen(createServer())
  await close()
  return Number(new URL(origin).port)
}
