import { once } from "node:events"
import type { AddressInfo, Server } from "node:net"

const host = "127.0.0.1"

/** Listens on loopback: on the wanted port, or on a free one where it is taken. Tells which. */
export const listen = async (server: Server, wanted: number): Promise<number> => {
  server.listen(wanted, host)
  try {
    await once(server, "listening")
  } catch (error) {
    if (wanted === 0 || (error as NodeJS.ErrnoException).code !== "EADDRINUSE") throw error
    server.listen(0, host)
    await once(server, "listening")
  }
  return (server.address() as AddressInfo).port
}
