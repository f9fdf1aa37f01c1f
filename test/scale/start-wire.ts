import { connect, createServer, type AddressInfo, type Socket } from "node:net"

/** A TCP connection's way to a server, which can break. */
export interface Wire {
  readonly port: number
  /** Breaks all connections. */
  readonly cut: () => void
  /** From now on nothing moves, in either direction; also connections that are new. */
  readonly stall: () => void
  readonly goOn: () => void
  readonly close: () => void
}

/** Starts a way to a port of this machine. */
export const startWire = async (target: number): Promise<Wire> => {
  const pairs = new Set<readonly [Socket, Socket]>()
  let isStalled = false
  const server = createServer((near) => {
    const far = connect(target, "127.0.0.1")
    const pair = [near, far] as const
    pairs.add(pair)
    const end = (): void => {
      pairs.delete(pair)
      near.destroy()
      far.destroy()
    }
    for (const [from, to] of [pair, [far, near] as const]) {
      from.on("error", end)
      from.on("close", end)
      from.on("data", (bytes) => {
        if (to.write(bytes)) return
        from.pause()
        to.once("drain", () => isStalled || from.resume())
      })
    }
    if (isStalled) for (const socket of pair) socket.pause()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const each = (act: (socket: Socket) => void): void => {
    for (const pair of pairs) for (const socket of pair) act(socket)
  }
  const cut = (): void => each((socket) => socket.destroy())
  return {
    port: (server.address() as AddressInfo).port,
    cut,
    stall: () => {
      isStalled = true
      each((socket) => socket.pause())
    },
    goOn: () => {
      isStalled = false
      each((socket) => socket.resume())
    },
    close: () => {
      server.close()
      cut()
    },
  }
}
