/* @tus/server with its file store, as its documentation sets it up. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { peerFile } from "../peers.ts"

const { Server } = (await import(peerFile("@tus/server/dist/index.js"))) as {
  Server: new (options: object) => { handle: (req: unknown, res: unknown) => void }
}
const { FileStore } = (await import(peerFile("@tus/file-store/dist/index.js"))) as {
  FileStore: new (options: object) => object
}
const tus = new Server({ path: "/files", datastore: new FileStore({ directory: process.argv[2]! }) })
const server = createServer({ requestTimeout: 0 }, (req, res) => tus.handle(req, res))
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
