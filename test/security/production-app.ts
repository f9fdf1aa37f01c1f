/*
 * An app as its developer deploys it, in a process of its own that the environment alone sets up, and what an attacker
 * has around it: raw sockets, and a server that keeps what it is sent.
 */
import { once } from "node:events"
import { connect } from "node:net"
import { join } from "node:path"
import { onTestFinished } from "vitest"
import { startProgram } from "../adapters/apps/start-process.ts"
import { listen } from "../ingest/circle.ts"

/** What an answer on a raw socket came to. */
export interface RawAnswer {
  readonly status: number
  readonly body: string
}

/** Sends the bytes of a request as they are, over a socket of its own, and reads until the server closes it. */
export const sendRaw = async (origin: string, lines: ReadonlyArray<string>, body = ""): Promise<RawAnswer> => {
  const socket = connect(Number(new URL(origin).port), "127.0.0.1")
  socket.write([...lines, "connection: close", `content-length: ${Buffer.byteLength(body)}`, "", body].join("\r\n"))
  let text = ""
  socket.setEncoding("utf8").on("data", (chunk) => (text += chunk))
  await once(socket, "close")
  const [head = "", ...rest] = text.split("\r\n\r\n")
  return { status: Number(head.split(" ")[1]), body: rest.join("\r\n\r\n") }
}

/** A server that remembers what it was sent, and hands it on where it is told to. */
export const startRecorder = async (answer: (received: RecordedRequest) => Promise<number> = async () => 200) => {
  const received: Array<RecordedRequest> = []
  const origin = await listen(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const recorded = { url: request.url!, headers: request.headers, body: Buffer.concat(chunks).toString() }
    received.push(recorded)
    response.writeHead(await answer(recorded)).end("{}")
  })
  return { origin, received }
}

/** A request as it came. */
export interface RecordedRequest {
  readonly url: string
  readonly headers: Readonly<Record<string, string | ReadonlyArray<string> | undefined>>
  readonly body: string
}

/** The app of `apps/counting-app.ts` in a process of its own, for one test. */
export const startCountingApp = async (
  framework: "node" | "express" | "express4",
  env: Readonly<Record<string, string>>,
) => {
  const app = await startProgram([join(import.meta.dirname, "apps/counting-app.ts"), framework], {
    cwd: import.meta.dirname,
    env,
  })
  onTestFinished(app.close)
  const counts = async () => (await fetch(`${app.origin}/counts`)).json() as Promise<Record<string, number>>
  return { ...app, counts }
}
