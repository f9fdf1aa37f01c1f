/* GET by `send`, the file server behind express.static; PUT only so that there is something to read. */
import { createWriteStream } from "node:fs"
import { createServer, type IncomingMessage, type ServerResponse } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { pipeline } from "node:stream"
import { peerFile } from "../peers.ts"

type Send = (req: IncomingMessage, path: string, options: object) => { pipe: (res: ServerResponse) => void }
const { default: send } = (await import(peerFile("send/index.js"))) as { default: Send }
const folder = process.argv[2]!

const server = createServer({ requestTimeout: 0 }, (req, res) => {
  if (req.method === "GET") return send(req, req.url!, { root: folder }).pipe(res)
  pipeline(req, createWriteStream(join(folder, req.url!)), () => res.end())
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
