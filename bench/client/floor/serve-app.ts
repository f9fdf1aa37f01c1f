/* The floor's app: signs a URL for a file, and takes the callback of the ingest. The ingest's URL comes from the environment. */
import { randomBytes } from "node:crypto"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { isSigned, sign } from "./hop.ts"

interface NamedFile {
  readonly name: string
  readonly size: number
  readonly type: string
}

const ingestUrl = process.env["INGEST_URL"]!

const answer = (res: ServerResponse, status: number, value: unknown): void => {
  const text = JSON.stringify(value)
  res.writeHead(status, { "content-type": "application/json", "content-length": Buffer.byteLength(text) }).end(text)
}

const grant = ({ name, size, type }: NamedFile) => {
  const key = randomBytes(16).toString("base64url")
  const callback = encodeURIComponent(`http://127.0.0.1:${port()}/callback`)
  const path = `/${key}?expires=${Date.now() + 3_600_000}&size=${size}&name=${encodeURIComponent(name)}&type=${encodeURIComponent(type)}&callback=${callback}`
  return { key, url: `${ingestUrl}${path}&signature=${sign(path)}` }
}

const handle = (req: IncomingMessage, res: ServerResponse, text: string): void => {
  if (req.url !== "/callback") {
    const { files } = JSON.parse(text) as { readonly files: ReadonlyArray<NamedFile> }
    return answer(res, 200, files.map(grant))
  }
  if (!isSigned(text, req.headers["x-signature"])) return answer(res, 403, { error: "signature" })
  const { file } = JSON.parse(text) as { readonly file: { readonly key: string } }
  answer(res, 200, { fileKey: file.key, callbackData: null })
}

const server = createServer((req, res) => {
  let text = ""
  req.setEncoding("utf8")
  req.on("data", (piece: string) => (text += piece))
  req.on("end", () => handle(req, res, text))
})
const port = (): number => (server.address() as AddressInfo).port
server.listen(0, "127.0.0.1", () => console.log(port()))
