/* An app with one file route, as a user of node:http writes it. Token and ingest come from the environment. */
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"

const door = new URL("../../dist/node.js", import.meta.url).href
const { createRouteHandler, createSluice } = (await import(door)) as typeof import("../../adapters/node.ts")

const f = createSluice()
const router = { anything: f({ blob: { maxFileSize: "8GB" } }).onUploadComplete(() => null) }
const handle = createRouteHandler({ router, logLevel: "None", isDev: false, allowedHosts: "127.0.0.1:*" })
const server = createServer((req, res) => void handle(req, res))
server.listen(0, "127.0.0.1", () => console.log((server.address() as AddressInfo).port))
