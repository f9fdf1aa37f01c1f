import { connect, createServer, type AddressInfo, type Socket } from "node:net"

/** A TCP connection's way to a server, which can break. */
export interface Wire {
  readonly port: number
  /** Breaks all connections. */
  readonly cut: () => void
  /** From now on nothing arrives, in either direction or only at who has connected; also of connections that are new. */
  readonly stall: (what?: "all" | "answers") => void
  /** All that was held back arrives at once. */
  readonly goOn: () => void
  readonly close: () => void
}

/** Starts a way to a port of this machine. */
export const startWire = async (target: number): Promise<Wire> => {
  const sockets = new Set<Socket>()
  let stalled: "all" | "answers" | undefined
  /** What has not arrived yet, by where it is to arrive. */
  const held = new Map<Socket, Array<Buffer>>()
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1")
    const end = (): void => {
      for (const socket of [near, far]) {
        socket.destroy()
        sockets.delete(socket)
        held.delete(socket)
      }
    }
    for (const [from, to] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(from)
      from.setNoDelay()
      from.on("error", end)
      from.on("close", () => {
        // What was held back comes before the end.
        if (!held.has(to)) end()
      })
      from.on("data", (bytes) => {
        if (stalled !== "all" && (stalled === undefined || to !== near)) return void to.write(bytes)
        held.set(to, [...(held.get(to) ?? []), bytes])
      })
    }
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const cut = (): void => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    port: (server.address() as AddressInfo).port,
    cut: () => {
      held.clear()
      cut()
    },
    stall: (what = "all") => {
      stalled = what
    },
    goOn: () => {
      stalled = undefined
      for (const [socket, bytes] of held) socket.write(Buffer.concat(bytes))
      held.clear()
    },
    close: () => {
      server.close()
      held.clear()
      cut()
    },
  }
}
