/* @tus/server with its store for S3, as its documentation sets it up: `node serve-tus-s3.ts <folder> <settings of a bucket>`. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import type { S3Settings } from "../../src/ingest/storage/s3/client/s3-settings.ts"
import { peerFile } from "../peers.ts"

const { Server } = (await import(peerFile("@tus/server/dist/index.js"))) as {
  Server: new (options: object) => { handle: (req: unknown, res: unknown) => void }
}
const { S3Store } = (await import(peerFile("@tus/s3-store/dist/index.js"))) as {
  S3Store: new (options: object) => object
}
const { bucket, ...settings } = JSON.parse(process.argv[3]!) as S3Settings
const datastore = new S3Store({
  partSize: 8 * 1024 * 1024,
  s3ClientConfig: {
    bucket,
    ...settings,
    forcePathStyle: true,
    // Stores that are not AWS's do not know its new default.
    requestChecksumCalculation: "WHEN_REQUIRED",
    responseChecksumValidation: "WHEN_REQUIRED",
  },
})
const tus = new Server({ path: "/files", datastore })
const server = createServer({ requestTimeout: 0 }, (req, res) => tus.handle(req, res))
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
