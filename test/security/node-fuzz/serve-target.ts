import { once } from "node:events"
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from "node:http"
import { createServer as createHttp2Server } from "node:http2"
import type { AddressInfo } from "node:net"
import { createAdaptorServer } from "@hono/node-server"
import express5 from "express"
// @ts-expect-error: it has no types of its own; those of Express 5 fit.
import untyped from "express4"
import { fastify } from "fastify"
import { H3, toNodeHandler } from "h3"
import { Hono } from "hono"
import * as express from "../../../adapters/express.ts"
import * as fastifyAdapter from "../../../adapters/fastify.ts"
import * as h3 from "../../../adapters/h3.ts"
import * as hono from "../../../adapters/hono.ts"
import * as nextPages from "../../../adapters/next-pages.ts"
import * as node from "../../../adapters/node.ts"
import { encodeToken } from "../../../src/protocol.ts"
import { createRouteHandler, createSluice } from "../../../src/server.ts"
import { createTestRouter } from "../../../src/conformance/adapter/test-router.ts"

/*
 * One app per Node adapter, alone in its process: `node serve-target.ts <name>`; it prints its address.
 */
const options = {
  token: encodeToken({ apiKey: "sk_fuzz", appId: "fuzz", regions: ["local"] }),
  ingestUrl: "http://127.0.0.1:4",
  callbackUrl: "http://127.0.0.1:4/api/sluice",
  logLevel: "None",
  trustProxy: true,
  // No ingest is under attack here.
  fetch: async () => Response.json({ ok: true }),
} as const

const express4 = untyped as typeof express5

const path = "/api/sluice"

const ofExpress = (create: typeof express5): RequestListener => {
  const router = createTestRouter(express.createSluice(), ({ req }) => req.get("x-probe"))
  return create().use(path, express.createRouteHandler({ router, ...options })) as RequestListener
}

const listeners: Readonly<Record<string, () => RequestListener | Promise<RequestListener>>> = {
  node: () => {
    const router = createTestRouter(node.createSluice(), ({ req }) => req.url)
    return node.createRouteHandler({ router, ...options })
  },
  listener: () => {
    const router = createTestRouter(createSluice(), () => null)
    const handle = createRouteHandler({ router, ...options })
    return node.toNodeListener((request) => handle(request))
  },
  express5: () => ofExpress(express5),
  express4: () => ofExpress(express4),
  "next-pages": () => {
    const router = createTestRouter(nextPages.createSluice(), ({ req }) => req.url)
    const handle = nextPages.createRouteHandler({ router, ...options })
    return handle as unknown as (req: IncomingMessage, res: ServerResponse) => Promise<void>
  },
  fastify: async () => {
    const router = createTestRouter(fastifyAdapter.createSluice(), ({ req }) => req.url)
    const app = fastify({ serverFactory: (handler) => createServer(handler) })
    await app.register(fastifyAdapter.createRouteHandler({ router, ...options }), { prefix: path })
    await app.ready()
    return (req, res) => app.routing(req, res)
  },
  h3: () => {
    const router = createTestRouter(h3.createSluice(), ({ event }) => event.req.headers.get("x-probe"))
    const handle = toNodeHandler(new H3().all(path, h3.createRouteHandler({ router, ...options })))
    // As docs/frameworks/h3.md says: h3 2.0 throws before any handler at a Host that no URL can hold.
    return (req, res) => {
      try {
        void handle(req, res)
      } catch {
        res.writeHead(400).end()
      }
    }
  },
}

const createTarget = async (name: string) => {
  if (name === "hono") {
    const router = createTestRouter(hono.createSluice(), ({ c }) => c.req.header("x-probe"))
    return createAdaptorServer(new Hono().all(path, hono.createRouteHandler({ router, ...options })))
  }
  const isHttp2 = name === "http2"
  const listener = await listeners[isHttp2 ? "listener" : name]!()
  return isHttp2 ? createHttp2Server(listener as never) : createServer(listener)
}

const server = await createTarget(process.argv[2]!)
server.listen(0, "127.0.0.1")
await once(server, "listening")
console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`)
