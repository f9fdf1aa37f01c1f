import { request } from "node:http"
import type { FetchLike } from "../../../../src/http/fetch-transport.ts"

/** A `fetch` that finds every host at one port of this machine: no name in the DNS is needed. */
export const fetchByAddress =
  (port: number): FetchLike =>
  async (url, { method = "GET", headers, body, signal } = {}) => {
    const { host, pathname, search } = new URL(url)
    const bytes = Buffer.from(await new Response(body).arrayBuffer())
    return new Promise((resolve, reject) => {
      const options = { host: "127.0.0.1", port, method, path: pathname + search, signal: signal ?? undefined }
      const outgoing = request({ ...options, headers: { ...(headers as Record<string, string>), host } }, (message) => {
        const pieces: Array<Buffer> = []
        message.on("data", (piece: Buffer) => pieces.push(piece))
        message.on("error", reject)
        message.on("end", () => {
          const status = message.statusCode!
          const content = status === 204 || status === 304 ? null : new Uint8Array(Buffer.concat(pieces))
          resolve(new Response(content, { status, headers: message.headers as Record<string, string> }))
        })
      })
      outgoing.on("error", reject)
      outgoing.end(bytes)
    })
  }
