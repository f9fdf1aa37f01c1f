/* What anybody writes first: `node:http`, the body piped into a file. No hash, no flush, no catalog. */
import { createWriteStream } from "node:fs"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { join } from "node:path"
import { pipeline } from "node:stream"

const folder = process.argv[2]!

const server = createServer({ requestTimeout: 0 }, (req, res) => {
  if (req.method !== "PUT") return res.end()
  pipeline(req, createWriteStream(join(folder, req.url!)), (error) => {
    res.statusCode = error ? 500 : 201
    res.end()
  })
})
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
