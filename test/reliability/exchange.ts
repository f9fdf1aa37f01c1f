import { Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from "node:http"
import { setTimeout as sleep } from "node:timers/promises"

/** A complete answer. */
export interface Answer {
  readonly status: number
  readonly headers: IncomingHttpHeaders
  readonly body: Buffer
}

/** What is sent, and how. */
export interface Outgoing {
  readonly method: string
  readonly headers?: OutgoingHttpHeaders
  readonly body?: ReadonlyArray<Uint8Array>
  /** ms between two pieces of the body. */
  readonly pause?: number
  /** Breaks the connection when this many pieces were sent. */
  readonly cutAfter?: number
  /** ms without a byte in either direction after which it is given up; by default never. */
  readonly patience?: number | undefined
  /** A piece is about to be sent. */
  readonly onPiece?: (index: number) => void
  /** The whole request was handed to the socket. */
  readonly onSent?: () => void
}

const agent = new Agent({ keepAlive: true })

/** One request over a real socket, byte for byte accounted for; undefined when the connection broke before the answer was complete. */
export const exchange = (url: string, outgoing: Outgoing): Promise<Answer | undefined> =>
  new Promise((resolve) => {
    const { method, headers = {}, body = [], pause = 0, cutAfter, patience = 0, onPiece, onSent } = outgoing
    const length = body.reduce((sum, piece) => sum + piece.length, 0)
    const framing = method === "PUT" || method === "POST" ? { "content-length": length } : {}
    const sending = request(url, { agent, method, headers: { ...framing, ...headers } }, (response) => {
      const chunks: Array<Buffer> = []
      response.on("data", (chunk: Buffer) => chunks.push(chunk))
      response.once("close", () =>
        resolve(
          response.complete
            ? { status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }
            : undefined,
        ),
      )
    })
    sending.setTimeout(patience, () => sending.destroy())
    let isOver = false
    sending.once("error", () => resolve(undefined))
    const closed = new Promise<void>((close) => {
      sending.once("close", () => {
        isOver = true
        close()
      })
    })
    sending.once("finish", () => onSent?.())
    const send = async (): Promise<void> => {
      for (const [index, piece] of body.entries()) {
        if (isOver) return
        if (index === cutAfter) return void sending.destroy()
        onPiece?.(index)
        if (!sending.write(piece)) await Promise.race([new Promise<void>((go) => sending.once("drain", go)), closed])
        if (pause > 0) await sleep(pause)
      }
      if (!isOver) sending.end()
    }
    void send()
  })
