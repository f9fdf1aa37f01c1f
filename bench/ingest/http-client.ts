import { connect, type Socket } from "node:net"

/** The end of an answer, as far as a load generator wants to know it. */
export interface Answer {
  readonly status: number
  /** Names in lower case. */
  readonly headers: ReadonlyMap<string, string>
  /** Only where it was asked for; else only its length. */
  readonly body: string
  readonly length: number
}

const parseHead = (text: string) => {
  const [first = "", ...lines] = text.split("\r\n")
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(":")
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()] as const
    }),
  )
  return { status: Number(first.split(" ")[1]), headers }
}

/** One kept connection that sends one request at a time; far less work per request than `fetch`, so that the server is measured. */
export interface Connection {
  /** Sends prepared bytes and reads the answer. `keepBody`: the answer's text is wanted. */
  readonly ask: (parts: Iterable<Uint8Array>, keepBody?: boolean) => Promise<Answer>
  readonly socket: Socket
}

export const openConnection = (port: number): Promise<Connection> =>
  new Promise((resolve, reject) => {
    let onData: (chunk: Buffer) => void = () => {}
    let onError: (error: Error) => void = reject
    const socket = connect({
      port,
      host: "127.0.0.1",
      noDelay: true,
      // One buffer for all that is read: receiving costs the generator no memory.
      onread: {
        buffer: Buffer.alloc(1024 * 1024),
        callback: (size, buffer) => {
          onData((buffer as Buffer).subarray(0, size))
          return true
        },
      },
    })
    socket.on("error", (error) => onError(error))
    socket.on("close", () => onError(new Error("The server closed the connection.")))

    const readAnswer = (keepBody: boolean) =>
      new Promise<Answer>((done, fail) => {
        let head: ReturnType<typeof parseHead> | undefined
        let text = ""
        let body = ""
        let length = 0
        let tail = ""
        onError = fail
        onData = (chunk) => {
          let rest = chunk
          if (head === undefined) {
            const before = text.length
            text += chunk.toString("latin1")
            const end = text.indexOf("\r\n\r\n")
            if (end < 0) return
            head = parseHead(text.slice(0, end))
            rest = chunk.subarray(end + 4 - before)
            if (head.status === 100) {
              head = undefined
              text = ""
              return
            }
          }
          length += rest.length
          if (keepBody) body += rest.toString()
          const announced = head.headers.get("content-length")
          if (announced === undefined && head.headers.has("transfer-encoding")) {
            tail = (tail + rest.subarray(-5).toString("latin1")).slice(-5)
            if (tail !== "0\r\n\r\n") return
          } else if (length < Number(announced ?? 0)) return
          done({ ...head, body, length })
        }
      })

    socket.once("connect", () =>
      resolve({
        socket,
        ask: async (parts, keepBody = false) => {
          const answer = readAnswer(keepBody)
          answer.catch(() => {})
          for (const part of parts) {
            if (!socket.write(part)) await Promise.race([new Promise((room) => socket.once("drain", room)), answer])
          }
          return answer
        },
      }),
    )
  })
