/*
 * An app as its developer would write it: file routes, a server, nothing about the ingest. It says where it listens.
 * On SIGTERM it closes and ends with exit code 7.
 */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { toNodeListener } from "../../../adapters/node.ts"
import { createRouteHandler, createSluice } from "../../../src/server.ts"

const f = createSluice()
const handle = createRouteHandler({
  router: {
    avatar: f({ text: { maxFileSize: "1MB" } })
      .middleware(() => ({ user: 7 }))
      .onUploadComplete(({ metadata, file }) => ({ user: metadata.user, name: file.name })),
  },
})

const server = createServer(toNodeListener(handle))
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo
  console.log(JSON.stringify({ app: `http://127.0.0.1:${port}` }))
})

process.once("SIGTERM", () => {
  server.closeAllConnections()
  server.close(() => process.exit(7))
})
