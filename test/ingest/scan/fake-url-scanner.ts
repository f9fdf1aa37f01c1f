import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { Webhook } from "standardwebhooks"
import { onTestFinished } from "vitest"
import { verifySignature } from "../../../src/protocol.ts"

/** A secret of Standard Webhooks. */
export const scanSecret = `whsec_${Buffer.from("0123456789abcdef0123456789abcdef").toString("base64")}`

/** What an ingest tells a scanner. */
export interface ScanMessage {
  readonly id: string
  readonly sentAt: number
  readonly expires: number
  readonly appId: string
  readonly file: {
    readonly key: string
    readonly name: string
    readonly size: number
    readonly type: string
    readonly fileHash: string
    readonly uploadedAt: number
  }
  readonly readUrl: string
  readonly verdictUrl: string
}

/** A request as a scanner gets it, verified. */
export interface AskedScan {
  readonly message: ScanMessage
  readonly headers: IncomingMessage["headers"]
  readonly body: string
  readonly response: ServerResponse
  /** Answers with JSON. */
  readonly answer: (status: number, json: unknown, headers?: Readonly<Record<string, string>>) => void
}

/** Gives a verdict later, by the URL for it. */
export const judge = (verdictUrl: string, verdict: unknown): Promise<Response> =>
  fetch(verdictUrl, { method: "POST", body: JSON.stringify(verdict), headers: { "content-type": "application/json" } })

/** Reads the file by its URL, as a scanner does. */
export const readAsked = async ({ message }: Pick<AskedScan, "message">): Promise<Buffer> => {
  const response = await fetch(message.readUrl)
  if (response.status !== 200) throw new Error(`${response.status}: ${await response.text()}`)
  return Buffer.from(await response.arrayBuffer())
}

/** A scanner that reads each file, and calls it clean unless it holds `bad`. */
export const scanByContent =
  (bad: string, reason?: string) =>
  async (asked: AskedScan): Promise<void> => {
    const content = await readAsked(asked)
    asked.answer(200, content.includes(bad) ? { verdict: "reject", reason } : { verdict: "release" })
  }

/** A scanner over HTTP, which refuses what is not signed (401); ended with the test. */
export const startUrlScanner = async (
  handle: (asked: AskedScan) => unknown,
  { port = 0, secret = scanSecret }: { readonly port?: number; readonly secret?: string } = {},
) => {
  const asked: Array<AskedScan> = []
  const server = createServer(async (request, response) => {
    const chunks: Array<Buffer> = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const { headers } = request
    const answer: AskedScan["answer"] = (status, json, more = {}) =>
      void response.writeHead(status, { "content-type": "application/json", ...more }).end(JSON.stringify(json))
    try {
      new Webhook(secret).verify(body, headers as Record<string, string>)
      if (!(await verifySignature(body, headers["x-sluice-signature"] as string, secret))) throw new Error("other")
    } catch {
      return answer(401, { error: "The signature is wrong." })
    }
    const one = { message: JSON.parse(body) as ScanMessage, headers, body, response, answer }
    asked.push(one)
    await handle(one)
  })
  server.on("clientError", (_, socket) => socket.destroy())
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve))
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  onTestFinished(stop)
  const { port: taken } = server.address() as AddressInfo
  return { url: `http://127.0.0.1:${taken}/scan`, port: taken, asked, stop }
}
