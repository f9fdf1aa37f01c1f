/*
 * An app as its developer deploys it, set up by the environment alone: `counting-app.ts node|express|express4`. Says
 * where it listens; GET /counts tells how often each piece of its code has run.
 */
import { createServer, type RequestListener } from "node:http"
import type { AddressInfo } from "node:net"
// @ts-expect-error no types of its own; those of Express 5 fit what is used
import express4 from "express4"
import express5 from "express"
import * as onExpress from "../../../adapters/express.ts"
import * as onNode from "../../../adapters/node.ts"
import type { RouteBuilder } from "../../../src/server.ts"

const counts: Record<string, number> = {}
const count = (what: string) => {
  counts[what] = (counts[what] ?? 0) + 1
  return { what }
}

const createRouter = <Native extends object>(f: RouteBuilder<Native, undefined>) => {
  const route = (slug: string) =>
    f({ blob: { maxFileSize: "1MB" } }, { awaitServerData: false })
      .middleware(() => count(`${slug} middleware`))
      .onUploadError(() => void count(`${slug} error`))
      .onUploadComplete(() => count(`${slug} complete`))
  return { avatar: route("avatar"), adminImport: route("adminImport") }
}

const createExpress = (create: typeof express5): RequestListener =>
  create()
    .get("/counts", (_, response) => void response.json(counts))
    .use("/api/sluice", onExpress.createRouteHandler({ router: createRouter(onExpress.createSluice()) }))

const createNode = (): RequestListener => {
  const handle = onNode.createRouteHandler({ router: createRouter(onNode.createSluice()) })
  return (request, response) =>
    request.url === "/counts" ? void response.end(JSON.stringify(counts)) : void handle(request, response)
}

const listener = {
  node: createNode,
  express: () => createExpress(express5),
  express4: () => createExpress(express4 as typeof express5),
}[process.argv[2] as "node"]()

const server = createServer(listener).listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
})
